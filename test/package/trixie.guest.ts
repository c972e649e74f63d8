import { expect } from "chai";
import { ROOMS } from "../guest/report.ts";
import { PackageMachine } from "./machine.ts";
import { buildFirst } from "./versions.ts";

const PROOF_MS = 2_400_000;

describe("The package on Debian trixie", () => {
  let machine: PackageMachine;

  before(async function () {
    this.timeout(PROOF_MS);
    machine = await PackageMachine.make("trixie", ["fresh"], await buildFirst());
    await machine.run("fresh");
  });
  after(() => machine?.remove());

  it("installs, starts the service, and shows its address and the one-time link", () => {
    const { exitCode, said, after } = machine.report("installed");
    expect(exitCode, said).to.equal(0);
    expect(said).to.match(/http:\/\/localhost:8080\/primer-uso#\S+/);
    expect(after?.health).to.equal(0);
    expect(after?.state).to.equal("installed");
  });

  it("records edges", () => {
    const { exitCode, said, rows } = machine.report("recorded");
    expect(exitCode, said).to.equal(0);
    expect(rows?.map((row) => row.room).sort()).to.deep.equal([...ROOMS]);
  });
});
