import { startThread } from "./thread.ts";

// The process of one job. The job has a thread of its own, because SQLite's longer calls cannot be interrupted: this one
// ends both at once, also where the service was killed.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// systemd and a terminal send these to every process of the service; the service says when this one ends.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.once("message", (job) => {
  const thread = startThread("job", { workerData: job, name: "flanco-job" });
  thread.on("message", (message) => process.send?.(message));
  thread.once("exit", () => process.disconnect());
});
