import { expect } from "chai";
import { defaultConfig } from "../../src/config/parse.ts";
import { otherSettings, readGateway } from "../../src/service/gateway.ts";
import { SinkSettings } from "../../src/service/sink-settings.ts";
import { dataDirectoryOf } from "../../src/store/data-directory.ts";
import { KeptLog } from "../http/fakes.ts";
import { KEY } from "../notice/receivers.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("The gateway file", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  it("has where the clinic sends what it has, so that another gateway names what it lacks, and no file of a secret", () => {
    const fresh = { ...defaultConfig(null), data_dir: directory.path };
    const config = {
      ...fresh,
      ...{ mqtt_url: "mqtts://broker.example.org", mqtt_password_file: "/etc/flanco/mqtt.password" },
      ...{ central_database: "postgresql://flanco_malaga@db.example.org/company" },
      ...{ central_password_file: "/etc/flanco/company.password", notice_summaries: ["daily" as const] },
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
