// Loaded into the service that is soaked, and by that into each of its threads. At SIGUSR2 every thread collects its
// garbage, and the first one says what is left, a line of JSON on standard error: what a process holds is only seen
// when what it has dropped is gone.
import { getHeapSpaceStatistics } from "node:v8";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";

const channel = new BroadcastChannel("probe");
channel.unref();

if (isMainThread) {
  const threads = new Set();
  const asked = new Set();
  /** @param {number} thread */
  const answered = (thread) => {
    if (asked.delete(thread) && asked.size === 0) tell();
  };
  // A thread that is terminated runs no code of its own at its end.
  process.on("worker", (worker) => {
    const { threadId: thread } = worker;
    threads.add(thread);
    worker.once("exit", () => {
      threads.delete(thread);
      answered(thread);
    });
  });
  channel.onmessage = ({ data }) => answered(data.thread);
  process.on("SIGUSR2", () => {
    for (const thread of threads) asked.add(thread);
    channel.postMessage("collect");
    if (asked.size === 0) tell();
  });
} else {
  channel.onmessage = ({ data }) => {
    if (data !== "collect") return;
    globalThis.gc?.();
    channel.postMessage({ thread: threadId });
  };
  // A question that came before there was a channel is answered by this.
  channel.postMessage({ thread: threadId });
}

function tell() {
  globalThis.gc?.();
  const { rss, external } = process.memoryUsage();
  // The other spaces hold compiled code, which grows with what has become worth compiling.
  const objects = getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/code|trusted/.test(name))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, external);
  process.stderr.write(`${JSON.stringify({ probe: { rss, objects } })}\n`);
}
