import { join } from "node:path";
import { expect } from "chai";
import { ROOMS } from "../guest/report.ts";
import { Told } from "../guest/told.ts";
import { ToldMachine } from "../guest/told-machine.ts";
import type { Reports } from "./report.ts";
import { buildFirst } from "./versions.ts";

const PROOF_MS = 2_400_000;

describe("The package on Debian trixie", () => {
  const told = new Told<Reports>();
  let machine: ToldMachine<Reports>;

  before(async function () {
    this.timeout(PROOF_MS);
    const [inside, files] = [join(import.meta.dirname, "inside"), await buildFirst()];
    machine = await ToldMachine.make({ suite: "trixie", inside, parts: ["fresh"], files, told });
    await machine.run("fresh");
  });
  after(() => machine?.remove());

  it("installs, starts the service, and shows its address and the one-time link", () => {
    const { exitCode, said, after } = told.one("installed");
    expect(exitCode, said).to.equal(0);
    expect(said).to.match(/http:\/\/localhost:8080\/primer-uso#\S+/);
    expect(after?.health).to.equal(0);
    expect(after?.state).to.equal("installed");
  });

  it("records edges", () => {
    const { exitCode, said, rows } = told.one("recorded");
    expect(exitCode, said).to.equal(0);
    expect(rows?.map((row) => row.room).sort()).to.deep.equal([...ROOMS]);
  });
});
