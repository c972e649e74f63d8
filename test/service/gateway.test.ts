import { expect } from "chai";
import { defaultConfig } from "../../src/config/parse.ts";
import { otherSettings, readGateway } from "../../src/service/gateway.ts";
import { SinkSettings } from "../../src/service/sink-settings.ts";
import { dataDirectoryOf } from "../../src/store/data-directory.ts";
import { KeptLog } from "../http/fakes.ts";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { KEY } from "../sink/receivers.ts";

describe("The gateway file", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  it("has where the clinic sends what it has, so that another gateway names what it lacks, and no file of a secret", () => {
    const fresh = { ...defaultConfig(null), data_dir: directory.path };
    const config = {
      ...fresh,
      mqtt_url: "mqtts://broker.example.org",
      mqtt_password_file: "/etc/flanco/mqtt.password",
      central_database: "postgresql://flanco_malaga@db.example.org/company",
      central_password_file: "/etc/flanco/company.password",
      notice_summaries: ["daily" as const],
    };
    expect(otherSettings(fresh, readGateway(config).settings)).to.deep.equal([
      'notice_summaries = ["daily"]',
      'mqtt_url = "mqtts://broker.example.org"',
      'central_database = "postgresql://flanco_malaga@db.example.org/company"',
    ]);
  });

  it("has what an owner set up on the page, without its secrets", () => {
    const fresh = { ...defaultConfig(null), data_dir: directory.path };
    const { sinks } = dataDirectoryOf(directory.path);
    const settings = new SinkSettings({ config: fresh, directory: sinks, log: new KeptLog() });
    const webhook_url = "https://hooks.example.org/";
    settings.set({ name: "webhook", values: { webhook_url, webhook_key: KEY } });
    const whole = readGateway(fresh);
    expect(whole.settings).to.include({ webhook_url });
    expect(JSON.stringify(whole)).to.not.contain(KEY);
  });
});

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
      method: "PUT",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ letterhead }),
    });
    expect((await told(north)).gateway.name).to.equal("Clínica Norte, S. L.");
    await service.end("SIGTERM");
    await until("it has said that it goes", async () => (await seen(south, north)) === undefined);
  });
});
