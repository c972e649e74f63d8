import { writeFileSync } from "node:fs";
import { expect } from "chai";
import { PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";

const SITE = "https://panel.example.org";
const NAME = "caja.example.org";
const WAITING = "changed settings wait for a restart (systemctl restart flanco)";
const REFUSED = "the configuration has mistakes: the settings in force stay";

describe("A running service that reads its configuration again", function () {
  this.timeout(PROCESS_TEST_MS);
  let program: Program;
  let service: RunningService;
  let file: string;

  before(async () => {
    program = await Program.make({ FLANCO_LOG_LEVEL: undefined });
    file = program.write("flanco.toml", "");
    service = await program.start({ FLANCO_CONFIG: file });
  });
  after(() => program.close());

  /** Resolves with what is logged of it, once this is. */
  async function reload(text: string, logged = "the configuration was read again"): Promise<string> {
    writeFileSync(file, text);
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
    expect(log).to.contain(`${file}: https_port`).and.to.contain(`${file}: nonsense`);
    expect(await allowedOrigin()).to.equal(SITE);
  });
});
