import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect } from "chai";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { defaultConfig } from "../../src/service/config-file.ts";
import { otherSettings, readGateway } from "../../src/service/gateway-content.ts";
import { SinkSettings } from "../../src/service/sink-settings.ts";
import { KeptLog } from "../http/fakes.ts";
import { KEY } from "../notify/receivers.ts";
import { AVAHI_PATH } from "../rig/avahi.ts";
import { Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

describe("The gateway file", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  it("has where the clinic sends what it has, without secrets, so that another gateway names what it lacks", () => {
    const config = { ...defaultConfig(null), data_dir: directory.path, https_port: 443 };
    const { sinks } = dataDirectoryOf(directory.path);
    const settings = new SinkSettings({ config, directory: sinks, log: new KeptLog() });
    const notice = { notice_language: "es", notice_quiet_hours: "", notice_silent_days: 0 };
    const broker = { mqtt_url: "mqtts://broker.example.org", mqtt_topic: "flanco", mqtt_history: true };
    const webhook = { webhook_url: "https://hooks.example.org/", webhook_key: KEY };
    settings.set({ name: "webhook", values: webhook }, false);
    settings.set({ name: "mqtt", values: broker }, false);
    settings.set({ name: "notice", values: { ...notice, notice_summaries: ["daily"] } }, false);
    const whole = readGateway(config);
    expect(JSON.stringify(whole)).to.not.contain(KEY);
    const fresh = { ...defaultConfig(null), data_dir: directory.file("fresh") };
    expect(otherSettings(fresh, whole.settings)).to.deep.equal([
      "https_port = 443",
      'webhook_url = "https://hooks.example.org/"',
      'mqtt_url = "mqtts://broker.example.org"',
      "mqtt_history = true",
      'notice_summaries = ["daily"]',
    ]);
  });
});

interface StatusAnswer {
  readonly gateway: { readonly name: string; readonly hue: number };
  readonly otherGateways: readonly { readonly name: string; readonly address: string }[];
}

describe("A service on a network with others", () => {
  const program = forEachTest(() => Program.make({ PATH: AVAHI_PATH }));

  async function told(): Promise<StatusAnswer> {
    return JSON.parse((await program.call(["status", "--json"])).stdout) as StatusAnswer;
  }

  it("shows those that avahi finds, and listens to no packet of the network itself", async () => {
    const { pid } = await program.start();
    const found = await until("avahi has answered", async () => {
      const { otherGateways } = await told();
      return otherGateways.length > 0 && otherGateways;
    });
    expect(found.map(({ address }) => address)).to.include("https://192.168.77.2:8443/");
    const own = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
        } catch {
          // Closed meanwhile.
          return [];
        }
      }),
    );
    const socketsOf = (protocol: string) =>
      readFileSync(`/proc/${pid}/net/${protocol}`, "utf8")
        .split("\n")
        .map((row) => `socket:[${row.trim().split(/\s+/)[9]}]`)
        .filter((socket) => own.has(socket));
    expect([...socketsOf("udp"), ...socketsOf("udp6")]).to.deep.equal([]);
    expect(socketsOf("tcp"), "what is looked for is seen").to.not.deep.equal([]);
  });

  it("is named by the setting, or by the company whose reports it makes", async () => {
    const service = await program.start();
    const cookie = await service.makeFirstUser();
    const letterhead = { company: "Clínica Norte, S. L.", taxNumber: "", address: "", logo: "" };
    await service.send("PUT", "/api/letterhead", { letterhead }, cookie);
    expect((await told()).gateway.name).to.equal("Clínica Norte, S. L.");
    await service.end("SIGTERM");
    await program.start({ FLANCO_GATEWAY_NAME: "Clínica Sur" });
    expect((await told()).gateway.name).to.equal("Clínica Sur");
  });
});
