import { expect } from "chai";
import { EMAIL, seedLedger } from "../cli/ledger.ts";
import { CONTROLS } from "../rig/controls.ts";
import { PASSWORD, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { Variants } from "./variant.ts";

const TEST_MS = 120_000;
const CHOSEN = "una clave bastante larga";

describe("A member that was invited", function () {
  this.timeout(TEST_MS);
  const appliance = forEachTest(() => Program.make());
  const variants = forEachTest(() => new Variants());

  beforeEach(() => seedLedger(appliance.ledgerFile));

  /** What a technician's request for sales is answered with, and a second use of the link that made the technician. */
  async function answers(program?: string): Promise<{ readonly sales: number; readonly link: number }> {
    const service = await appliance.start({}, program === undefined ? {} : { program });
    const owner = await service.signIn(EMAIL, PASSWORD);
    const member = { name: "Eva", email: "eva@example.org", role: "technician" };
    const invited = await service.post("/api/member", { member }, owner);
    const { data } = (await invited.json()) as { readonly data: { readonly token: string } };
    const open = () => service.post("/api/link", { token: data.token, password: CHOSEN });
    expect((await open()).status).to.equal(200);
    const technician = await service.signIn(member.email, CHOSEN);
    const sales = await service.get("/api/record", technician);
    return { sales: sales.status, link: (await open()).status };
  }

  it("reads no sales as a technician, and its link works once", async () => {
    expect(await answers()).to.deep.equal({ sales: 403, link: 401 });
  });

  it("reads them where no role is looked at (control)", async () => {
    const program = variants.program(CONTROLS["every role may do everything"]);
    expect(await answers(program)).to.deep.equal({ sales: 200, link: 401 });
  });

  it("is signed in again by a link that is kept (control)", async () => {
    const program = variants.program(CONTROLS["a link works more than once"]);
    expect(await answers(program)).to.deep.equal({ sales: 403, link: 200 });
  });
});
