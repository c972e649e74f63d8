import { startThread } from "./thread.ts";

// The process of one job. The job runs in a thread of its own, because SQLite's
// longer calls cannot be interrupted. The main thread ends the process at once
// when the service disconnects, also where the service was killed.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
// systemd and a terminal send these to every process of the service. The service decides when this one ends.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.once("message", (job) => {
  const thread = startThread("job", { workerData: job, name: "flanco-job" });
  thread.on("message", (message) => process.send?.(message));
  thread.once("exit", () => process.disconnect());
});
