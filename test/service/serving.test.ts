import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { openPatiently } from "../../src/service/serving.ts";
import { aRecord } from "../http/bodies.ts";
import { KeptLog } from "../http/fakes.ts";
import { exchange } from "../rig/exchange.ts";
import { Program } from "../rig/program.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

describe("The service's process", () => {
  const appliance = forEachTest(() => Program.make());

  it("loads nothing of the Fetch API for its answers, though Koa asks about it", async () => {
    const [script, loaded] = ["loaded.cjs", "loaded.json"].map((name) => join(appliance.directory, name));
    writeFileSync(
      script ?? "",
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(loaded)},
         JSON.stringify(process.moduleLoadList.filter((name) => /undici|webstreams|_http_server/.test(name)))));`,
    );
    const service = await appliance.start({}, { nodeOptions: ["--require", script ?? ""] });
    const cookie = await service.makeFirstUser();
    const ask = (path: string) =>
      exchange({ port: appliance.httpPort }, "GET", path, { headers: { Cookie: cookie } });
    const statuses = [];
    for (const path of ["/healthz", "/", "/api/export?lang=es", "/api/nothing"])
      statuses.push((await ask(path)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 404]);
    await service.end("SIGTERM");
    expect(JSON.parse(readFileSync(loaded ?? "", "utf8"))).to.deep.equal(["NativeModule _http_server"]);
  });

  it("starts, answers and ends although a full disk takes nothing of its log", async () => {
    const service = await appliance.start(
      { FLANCO_LOG_LEVEL: "debug" },
      { wrapper: ["sh", "-c", 'exec "$0" "$@" 2> /dev/full'] },
    );
    expect((await service.get("/healthz")).status).to.equal(200);
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
  });

  it("starts, answers and ends although nobody takes what it logs", async () => {
    const log = join(appliance.directory, "log");
    // A full pipe that nothing reads: a write to it waits for ever.
    const full = `mkfifo ${log}; exec 3<>${log}; dd if=/dev/zero bs=65536 count=1 status=none >&3; exec "$@" 2>&3`;
    const service = await appliance.start(
      { FLANCO_LOG_LEVEL: "debug" },
      { wrapper: ["bash", "-c", full, "bash"] },
    );
    const cookie = await service.makeFirstUser();
    for (let post = 0; post < 20; post += 1) {
      expect((await service.post("/api/data", aRecord(), cookie)).status).to.equal(201);
    }
    await service.end("SIGTERM");
    await appliance.start();
    expect(JSON.parse(await appliance.succeed(["verify", "--json"]))).to.include({ records: 20 });
  });
});

const WAIT_MS = 50;
/** What a timer may be early. */
const EARLY_MS = 2;

describe("A start that fails", () => {
  const failure = new FlancoError("unavailable", "The port is in use.");

  /** How long it takes until it ends, in milliseconds. */
  async function failedStart(restarts: boolean, log: KeptLog): Promise<number> {
    const began = performance.now();
    const service = { open: () => Promise.reject(failure) };
    const opened = openPatiently(service, restarts, log, new Promise(() => {}), WAIT_MS);
    expect(await rejection(opened)).to.equal(failure);
    return performance.now() - began;
  }

  it("waits before it ends under systemd, which would start it again at once", async () => {
    const log = new KeptLog();
    expect(await failedStart(true, log)).to.be.at.least(WAIT_MS - EARLY_MS);
    expect(log.errors).to.have.length(1);
  });

  it("ends at once where no systemd starts it again", async () => {
    const log = new KeptLog();
    await failedStart(false, log);
    expect(log.errors).to.deep.equal([]);
  });
});

const SITE = "https://panel.example.org";
const NAME = "caja.example.org";
const WAITING = "changed settings wait for a restart (systemctl restart flanco)";
const REFUSED = "the configuration has mistakes: the settings in force stay";

describe("A running service that reads its configuration again", () => {
  const program = forSuite(() => Program.make({ FLANCO_LOG_LEVEL: undefined }));
  const service = forSuite(() => program.start({ FLANCO_CONFIG: program.write("flanco.toml", "") }));

  /** Resolves with what is logged of it, once this is. */
  async function reload(text: string, logged = "the configuration was read again"): Promise<string> {
    program.write("flanco.toml", text);
    const before = service.stderr.length;
    process.kill(service.pid, "SIGHUP");
    await until(logged, () => service.stderr.slice(before).includes(`"${logged}"`));
    return service.stderr.slice(before);
  }

  async function allowedOrigin(): Promise<string | null> {
    const answer = await fetch(`${service.baseUrl}/api/verify`, { headers: { origin: SITE } });
    return answer.headers.get("access-control-allow-origin");
  }

  it("applies other sites, further names and the log's level at once", async () => {
    expect(await allowedOrigin()).to.equal(null);
    const log = await reload(`allowed_origins = ["${SITE}"]\nhost_names = ["${NAME}"]\n`);
    expect(log).to.contain('"settings":["allowed_origins","host_names"]');
    expect(await allowedOrigin()).to.equal(SITE);
    await until("the certificate has the new name", async () =>
      (await program.succeed(["tls", "show"])).includes(NAME),
    );
    await reload("");
    expect(await allowedOrigin()).to.equal(null);
    expect(await reload('log_level = "warn"\n')).to.contain('"settings":["log_level"]');
    const warned = await reload('log_level = "warn"\ncurrency = "USD"\n', WAITING);
    expect(warned).not.to.contain('"level":30');
    // The level of the start again.
    await reload('currency = "USD"\n', WAITING);
  });

  it("reports that every other setting waits for a restart", async () => {
    expect(await reload('time_zone = "Europe/Madrid"\ncurrency = "USD"\n')).to.contain(
      `"settings":["currency"],"msg":"${WAITING}"`,
    );
    expect((await service.get("/healthz")).status).to.equal(200);
  });

  it("keeps its settings if the file has mistakes, and names each mistake", async () => {
    await reload(`allowed_origins = ["${SITE}"]\n`);
    const log = await reload('allowed_origins = []\nhttps_port = "many"\nnonsense = 1\n', REFUSED);
    const file = join(program.directory, "flanco.toml");
    expect(log).to.contain(`${file}: https_port`).and.to.contain(`${file}: nonsense`);
    expect(await allowedOrigin()).to.equal(SITE);
  });
});
