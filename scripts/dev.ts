// `npm run dev` runs this under `node --watch-path=src`, which ends it and begins it anew at each change of a source: the page is
// built, then the service starts from the sources, with the data that it had. What does not compile ends it with the
// compiler's message, and the next change begins it again.

// By this variable Node's watch has each process tell its parent what it imports. The service would take what a job's process
// tells for the job's answer.
delete process.env["WATCH_REPORT_DEPENDENCIES"];
await import("./build-web.ts");
await import("../bin/flanco.mjs");
