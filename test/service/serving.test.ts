import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { aRecord } from "../http/bodies.ts";
import { exchange } from "../rig/exchange.ts";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";

describe("The service's process", function () {
  this.timeout(PROCESS_TEST_MS);
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
    expect(JSON.parse((await appliance.run(["verify", "--json"])).stdout)).to.include({ records: 20 });
  });
});
