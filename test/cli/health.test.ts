import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";

describe("flanco health", () => {
  const program = forSuite(() => Program.make());
  const waiting = forSuite(() => Program.make());

  it("fails in one line while no service runs, and for an invalid time", async () => {
    expect(await program.refused(["health"])).to.contain("No service answers.");
    for (const wait of ["soon", "-3", "3601"]) {
      const { exitCode, stderr } = await program.call(["health", "--wait", wait]);
      expect(exitCode, wait).to.equal(2);
      expect(stderr).to.contain("It must be 0 to 3600.");
    }
  });

  it("waits for a service that starts, and succeeds once it works", async () => {
    const waiting = program.call(["health", "--wait", "30"]);
    await program.start();
    expect(await waiting).to.deep.include({ exitCode: 0, stdout: "The service works.\n", stderr: "" });
    expect((await program.call(["health"])).exitCode).to.equal(0);
  });

  it("finds a service where the machine knows no name, not even localhost", async () => {
    const nameless = waiting.write(
      "nameless.cjs",
      'require("node:dns").lookup = (_name, _options, done) => done(new Error("no names"));',
    );
    const other = createServer((_request, response) => response.end());
    await once(other.listen(waiting.httpPort, "127.0.0.1"), "listening");
    try {
      const environment = { NODE_OPTIONS: `--require=${nameless}` };
      expect(await waiting.run(["health"], { environment })).to.include({ exitCode: 0, stderr: "" });
    } finally {
      other.close();
    }
  });

  it("tells what answers with something else from what does not answer", async () => {
    const other = createServer((_request, response) => response.writeHead(404).end("<html>"));
    await once(other.listen(waiting.httpPort, "127.0.0.1"), "listening");
    try {
      expect(await waiting.refused(["health"])).to.contain("The service runs, but not all of it works.");
    } finally {
      other.close();
    }
  });

  describe("while the ledger is prepared", () => {
    let server: Server;
    const since: number[] = [];

    /** Answers with work that began at these times, one after another, then as a service that works. */
    beforeEach(async () => {
      server = createServer((_request, response) => {
        const began = since.shift();
        response.statusCode = began === undefined ? 200 : 503;
        response.end(
          JSON.stringify(began === undefined ? {} : { work: { kind: "upgrade", percent: 40, since: began } }),
        );
      });
      await once(server.listen(waiting.httpPort, "127.0.0.1"), "listening");
    });
    afterEach(() => server.close());

    it("says so at once, and so does status", async () => {
      since.push(1, 1);
      for (const command of ["health", "status"]) {
        const { exitCode, stderr } = await waiting.call([command]);
        expect(exitCode).to.equal(1);
        expect(stderr).to.contain("The service prepares its ledger (upgrade, 40 %).");
      }
    });

    it("waits for its end beyond the time that was given", async () => {
      since.push(...Array.from({ length: 8 }, () => 1));
      expect((await waiting.call(["health", "--wait", "1"])).exitCode).to.equal(0);
    });
  });
});
