import { expect } from "chai";
import { PASSWORD, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { EMAIL, seededProgram } from "./ledger.ts";

describe("flanco record", () => {
  const program = forSuite(() => seededProgram([Date.UTC(2026, 2, 11, 12)]));
  const other = forSuite(() => Program.make());

  it("adds a sale at the price of its room, and gives sales back, with the reason and who did it", async () => {
    const add = ["record", "add", "--device", "7234", "--room", "101", "--reason", "power cut"];
    expect(await program.succeed([...add, "--time", "2026-03-11T18:40"])).to.include(
      "The sale 2 of 4 is added",
    );
    expect(await program.succeed([...add, "--time", "1h", "--valor", "5"])).to.include(
      "The sale 3 of 5 is added",
    );
    const refund = ["record", "refund", "1", "--reason", "left early", "--valor"];
    expect(await program.succeed([...refund, "1.5"])).to.include(
      "Of the sale 1, 1.5 is refunded, by the record 4.",
    );
    expect(await program.refused([...refund, "2.6"])).to.include("2.5 is left to refund");
    expect(await program.refused([...add, "--time", "2026-03-11", "--gap", "7"])).to.include("no gap 7");
    const audit = await program.succeed(["audit"]);
    expect(audit).to.include("sale_added").and.to.include("record_refunded").and.to.include("left early");
    expect(await program.succeed(["verify"])).to.match(/^4 records: /);
  });

  it("leaves entries that an export and an import carry to another ledger: what is left of a sale is less there too", async () => {
    const exported = await program.succeed(["export"]);
    const file = other.write("clinic.jsonl", exported);
    await other.succeed(
      ["user", "add", "--email", EMAIL, "--name", "Ana", "--password-stdin"],
      `${PASSWORD}\n`,
    );
    await other.succeed(["import", file]);
    expect(await other.succeed(["import", file])).to.include("there already: 4 records");
    const records = (text: string) => text.split("\n").filter((line) => line.includes('"kind":"record"'));
    expect(records(await other.succeed(["export"]))).to.deep.equal(records(exported));
    const csv = other.write("clinic.csv", await program.succeed(["export", "--csv"]));
    expect(await other.succeed(["import", csv])).to.include("there already: 4 records");
    const refund = ["record", "refund", "1", "--reason", "left early", "--valor", "2.6"];
    expect(await other.refused(refund)).to.include("2.5 is left to refund");
    expect(await other.succeed(["verify"])).to.match(/^4 records: /);
  });
});
