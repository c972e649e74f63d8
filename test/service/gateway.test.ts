import { expect } from "chai";
import { defaultConfig } from "../../src/config/default.ts";
import { otherSettings, readGateway } from "../../src/service/gateway.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("The gateway file", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  it("has where the clinic sends what it has, so that another gateway names what it lacks, and no file of a secret", () => {
    const fresh = { ...defaultConfig({ checkout: null }), data_dir: directory.path };
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
});
