import type { Patch } from "../../scripts/patch.ts";
import { LATER_SCHEMA } from "./later-schema.ts";

/** What a request leaves behind in the control of the long soak and of the short one, of 8 bytes each. */
const LEAKED_ITEMS = { long: 64, short: 8_192 };

function leak(items: number): readonly Patch[] {
  const line = "  context.status = declaration.status;";
  const kept = `((globalThis as { kept?: unknown[] }).kept ??= []).push(new Array(${items}).fill(0));`;
  return [{ file: "src/http/router.ts", from: line, to: `  ${kept}\n${line}` }];
}

/**
 * Other versions of the program, made from its sources for a test. Most take one protection away, and the test must notice
 * that; `controls.test.ts` holds that each text to change still stands in its file, once.
 */
export const CONTROLS = {
  "posts are answered before their commit": [
    {
      file: "src/http/data.ts",
      from: "if (!(await writer.addRecord(userId, record, idempotency)).repeated) count();\n",
      to: "count();\n    void writer.addRecord(userId, record, idempotency).catch(() => {});\n",
    },
  ],
  "no idempotency key is kept": [
    {
      file: "src/http/data.ts",
      from: "await writer.addRecord(userId, record, idempotency)",
      to: "await writer.addRecord(userId, record, null)",
    },
  ],
  "an edge under test is a sale": [
    {
      file: "src/ledger/nouns/line.ts",
      from: "const isTested = isRise && keepTested(sighting, room, boot);",
      to: "const isTested = isRise && keepTested(sighting, room, boot) && false;",
    },
  ],
  "every role may do everything": [
    {
      file: "src/http/router.ts",
      from: "if (roles.includes(signedIn.role)) {",
      to: "if (roles.length > 0) {",
    },
  ],
  "the network serves the operator's endpoints": [
    {
      file: "src/http/router.ts",
      from: "if (strange) throw",
      to: "if (strange && endpoints.length === 0) throw",
    },
    {
      file: "src/http/app.ts",
      from: "...table.filter((endpoint) => !isOperators(endpoint)),",
      to: "...table.filter((endpoint) => !isOperators(endpoint) || table.length > 0),",
    },
  ],
  "a link works more than once": [
    {
      file: "src/ledger/nouns/member.ts",
      from: "`DELETE FROM link WHERE token_hash = ? RETURNING member_id",
      to: "`UPDATE link SET begun_ms = begun_ms WHERE token_hash = ? RETURNING member_id",
    },
    { file: "src/ledger/nouns/member.ts", from: "    removeLink.run(memberId);\n", to: "" },
  ],
  "commits and files wait in the disk's cache": [
    { file: "src/ledger/engine/committer.ts", from: "fdatasyncSync(this.#descriptor);", to: "" },
    { file: "src/platform/durable-file.ts", from: "fsyncSync(descriptor);", to: "" },
    // A sync of the tail makes the file system's journal durable, and with it all other files.
    { file: "src/ledger/safety/tail.ts", from: "  await handle.datasync();", to: "" },
    { file: "src/ledger/safety/tail.ts", from: "  await folder.sync();", to: "" },
    // Likewise one of the sign of life, which comes at some time: before the cut on a slow machine.
    { file: "src/ledger/safety/sign-of-life.ts", from: "    await this.#handle.datasync();", to: "" },
    { file: "src/ledger/safety/file-copy.ts", from: "    fsyncSync(target);", to: "" },
  ],
  "an upgrade is written over the ledger, page by page": [
    {
      file: "src/ledger/engine/upgrade.ts",
      from: 'import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";',
      to: `import { existsSync, linkSync, rmSync, statSync } from "node:fs";
         import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";`,
    },
    {
      file: "src/ledger/engine/upgrade.ts",
      from: "    renameSync(draft, file);",
      to: `    const ledger = openSync(file, "r+");
         const copy = readFileSync(draft);
         for (let at = 0; at < copy.length; at += 1024) {
           writeSync(ledger, copy, at, 1024, at);
           fsyncSync(ledger);
         }
         closeSync(ledger);`,
    },
  ],
  "a restore removes the old ledger before the new one is there": [
    {
      file: "src/ledger/safety/replace.ts",
      from: "  renameSync(replacementDraft(ledger), ",
      to: `  rmSync(ledger);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  renameSync(replacementDraft(ledger), `,
    },
  ],
  "a rebuild takes any ledger's backup": [
    {
      file: "src/ledger/safety/recover.ts",
      from: 'import { basename, join } from "node:path";',
      to: 'import { readdirSync } from "node:fs";\nimport { basename, join } from "node:path";',
    },
    {
      file: "src/ledger/safety/recover.ts",
      from: "directories.map((directory) => folderOf(directory, ledgerId));",
      to: `directories.flatMap((directory) => readdirSync(directory).map((name) => folderOf(directory, name)));`,
    },
  ],
  "the newest commits have no copy": [
    {
      file: "src/ledger/engine/writer-thread.ts",
      from: "openTail(port, db, tailDirectory)",
      to: "openTail(port, db, undefined)",
    },
  ],
  "a proof goes with its backup": [
    {
      file: "src/ledger/safety/backup-directory.ts",
      from: "  rmSync(join(folder, backup.file), { force: true });\n",
      to: `  rmSync(join(folder, backup.file), { force: true });
  rmSync(join(folder, backup.file + PROOF_SUFFIX), { force: true });
`,
    },
  ],
  "no disk space is reserved": [
    {
      file: "src/service/ledger.ts",
      from: "timeZone: config.time_zone, reserve }",
      to: "timeZone: config.time_zone }",
    },
  ],
  "edges are tried once": [
    {
      file: "src/gpio/sighting-queue.ts",
      from: "      } catch (error) {\n",
      to: "      } catch (error) {\n        this.#waiting = [];\n",
    },
  ],
  "a full disk is no sign of life": [
    {
      file: "src/service/service.ts",
      from: "if (writer.diskFullSinceMs === null) throw error;",
      to: "throw error;",
    },
  ],
  "the process outlives a disk error": [
    {
      file: "src/ledger/engine/disk-room.ts",
      from: "return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !isFull(error);",
      to: "return code === 'none';",
    },
  ],
  "the process outlives a failed checkpoint": [
    {
      file: "src/ledger/engine/committer.ts",
      from: "      else this.#failure = ",
      to: "      else if (false) this.#failure = ",
    },
  ],
  "what was refused stays in the log": [
    { file: "src/ledger/engine/committer.ts", from: "      this.#log.cutBack();\n", to: "" },
  ],
  "jobs run in a thread of the service": [
    {
      file: "src/platform/thread.ts",
      from: "  return fork(fileURLToPath(fileOf(JOB_PROCESS)), { stdio });",
      to: `  const { EventEmitter } = process.getBuiltinModule("node:events");
  const child = new EventEmitter();
  const send = (job: unknown) =>
    startThread("job", { workerData: job }).on("message", (message) => child.emit("message", message));
  return Object.assign(child, { send, kill: () => {}, fork, stdio }) as unknown as ChildProcess;`,
    },
  ],
  "a start waits for each disk": [
    {
      file: "src/service/ledger.ts",
      from: "(await disk.examine())?.skipped === null ? directory : backupDirectory(config)",
      to: "directory",
    },
  ],
  "a stop waits for each disk": [
    { file: "src/service/process.ts", from: "{ eval: true }).unref();", to: "{ eval: true }).terminate();" },
  ],
  "long work says nothing to systemd": [
    {
      file: "src/service/serving.ts",
      from: "if (moves) systemd?.starting(describeWork(work));",
      to: "if (moves) return;",
    },
  ],
  "each request leaks": leak(LEAKED_ITEMS.long),
  "each request leaks much": leak(LEAKED_ITEMS.short),
  "the ledger has a later schema": [LATER_SCHEMA],
  "it records and answers, but is never healthy": [
    { file: "src/http/app.ts", from: "async () => lines.healthy()", to: "async () => false" },
  ],
} as const satisfies Readonly<Record<string, readonly Patch[]>>;

/** The message of the error that a trial ends with; "none" where it ends well. */
export async function failureOf(trial: Promise<unknown>): Promise<string> {
  return trial.then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
