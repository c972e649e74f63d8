import { expect } from "chai";
import { onlyLine, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";

describe("flanco central, without the file of the password", () => {
  const program = forSuite(() => Program.make());

  it("says which file it looks for, and what is to stand in it", async () => {
    const environment = { PGPASSFILE: `${program.directory}/pgpass` };
    const args = ["central", "gateway", "list", "--database", "postgresql://admin@127.0.0.1:1/company"];
    const ended = await program.call(args, "", environment);
    expect(onlyLine(ended))
      .to.contain(`There is no file ${program.directory}/pgpass with the database's password.`)
      .and.to.contain("HOST:PORT:DATABASE:USER:PASSWORD");
    expect(ended.exitCode).to.equal(78);
  });
});
