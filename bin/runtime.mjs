const REQUIRED_MAJOR = 24;

/** Stops the process with exit code 1 and one line of text when this Node is older than 24. */
export function requireRuntime() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= REQUIRED_MAJOR) return;
  console.error(
    `flanco needs Node ${REQUIRED_MAJOR} or later; this is ${process.version}. ` +
      "Run it through npm (npm start, npm run -s flanco -- COMMAND), which uses the Node that npm ci installed.",
  );
  process.exit(1);
}
