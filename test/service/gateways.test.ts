import { expect } from "chai";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

interface Told {
  readonly gateway: { readonly name: string; readonly hue: number };
  readonly otherGateways: readonly {
    readonly name: string;
    readonly hue: number;
    readonly address: string;
  }[];
}

describe("Two services on one network", function () {
  this.timeout(PROCESS_TEST_MS);
  const north = forEachTest(() => Program.make({ FLANCO_ANNOUNCE: "true" }));
  const south = forEachTest(() => Program.make({ FLANCO_ANNOUNCE: "true" }));

  async function told(program: Program): Promise<Told> {
    return JSON.parse((await program.call(["status", "--json"])).stdout) as Told;
  }

  /** The one of them at that port: other programs of this machine may announce themselves too. */
  async function seen(by: Program, { httpsPort }: Program) {
    const { otherGateways } = await told(by);
    return otherGateways.find(({ address }) => address === `https://127.0.0.1:${httpsPort}/`);
  }

  it("show each other by the setting's name, or by the company's whose reports they make", async () => {
    const service = await north.start();
    await south.start({ FLANCO_GATEWAY_NAME: "Clínica Sur" });
    const cookie = await service.makeFirstUser();
    const southByNorth = await until("north sees south", () => seen(north, south));
    expect(southByNorth)
      .to.include((await told(south)).gateway)
      .and.to.include({ name: "Clínica Sur" });
    expect(await until("south sees north", () => seen(south, north))).to.include((await told(north)).gateway);
    const letterhead = { company: "Clínica Norte, S. L.", taxNumber: "", address: "", logo: "" };
    await fetch(`${service.baseUrl}/api/letterhead`, {
      ...{ method: "PUT", headers: { "content-type": "application/json", cookie } },
      body: JSON.stringify({ letterhead }),
    });
    expect((await told(north)).gateway.name).to.equal("Clínica Norte, S. L.");
    await service.end("SIGTERM");
    await until("it has said that it goes", async () => (await seen(south, north)) === undefined);
  });
});
