// Loaded into the service that is soaked: at SIGUSR2 it collects its garbage and says what is left, a line of JSON on
// standard error. What a process holds is only seen when what it has dropped is gone.
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.stderr.write(`${JSON.stringify({ probe: { rss, heapUsed: heapUsed + external } })}\n`);
});
