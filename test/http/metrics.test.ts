import { writeFileSync } from "node:fs";
import { expect } from "chai";
import Koa from "koa";
import supertest from "supertest";
import { fault } from "../../src/domain/fault.ts";
import { MEASURES, metricsProbe } from "../../src/http/metrics.ts";
import { errorMiddleware } from "../../src/http/middleware.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { aDevice, aLocation } from "./bodies.ts";
import { KeptLog } from "./fakes.ts";

const METRICS = { metrics: true, metrics_token_file: "" };
const AFAR = "192.168.1.9";

describe("The metrics", () => {
  describe("of an appliance", () => {
    const appliance = forEachTest(() => Appliance.open({ config: METRICS }));

    it("are served to this machine, in the text format of Prometheus", async () => {
      appliance.sinks = [
        {
          name: "mqtt",
          waiting: 3,
          behindMs: 2_500,
          deliveredMs: null,
          delivered: 7,
          failed: 1,
          givenUp: 0,
          clockOffMs: null,
          failure: null,
        },
      ];
      const answer = await appliance.api.get("/metrics").expect(200);
      expect(answer.headers["content-type"]).to.equal("text/plain; version=0.0.4; charset=utf-8");
      expect(answer.text.split("\n")).to.include.members([
        "# TYPE flanco_lines_wired gauge",
        'flanco_build_info{version="0.0.0-test"} 1',
        "flanco_records_today 0",
        'flanco_sink_waiting{sink="mqtt"} 3',
        'flanco_sink_lag_seconds{sink="mqtt"} 2.5',
        "# TYPE flanco_sink_deliveries_total counter",
        'flanco_sink_deliveries_total{sink="mqtt"} 7',
      ]);
      expect(answer.text).to.match(/^process_resident_memory_bytes \d+$/m);
      expect(answer.text, "a counter's name").to.not.match(/^# TYPE \S+_total gauge$/m);
    });

    it("leave out what is not known, and a fault that is over", async () => {
      appliance.faults = [fault("disk_full", 0)];
      const { text } = await appliance.api.get("/metrics").expect(200);
      expect(text).to.contain('flanco_fault{code="disk_full",severity="grave"} 1');
      expect(text).not.to.contain("flanco_backup_age_seconds");
      appliance.faults = [];
      expect((await appliance.api.get("/metrics").expect(200)).text).not.to.contain("flanco_fault");
    });

    it("hold no money and no name of a person, a place or a room", async () => {
      const user = await appliance.addUser();
      await user.post("/api/location", aLocation({ name: "Canario" })).expect(200);
      const name = "canario";
      const device = aDevice({
        dId: name,
        name,
        locationName: name,
        actuators: [{ id: name, value: false }],
      });
      await user.post("/api/device", device).expect(200);
      const { text } = await appliance.api.get("/metrics").expect(200);
      expect(text).not.to.match(/canario|usuario|revenue|valor/i);
    });
  });

  it("are not there unless they are configured", async () => {
    await using appliance = await Appliance.open();
    const { body } = await appliance.api.get("/metrics").expect(404);
    expect(body.error).to.equal("There are no metrics. The setting metrics turns them on.");
  });

  describe("asked for by another machine", () => {
    const directory = forEachTest(() => new TemporaryDirectory());
    const appliance = forEachTest(() => Appliance.open());

    function askedBy(tokenFile: string) {
      const app = new Koa();
      app.use(errorMiddleware(new KeptLog(), () => "error"));
      app.use((context, next) => {
        Object.defineProperty(context.req, "socket", { value: { remoteAddress: AFAR } });
        return next();
      });
      app.use(metricsProbe(MEASURES, () => appliance.status.status(), tokenFile));
      return supertest(app.callback()).get("/metrics");
    }

    it("ask for the token, which is read anew each time", async () => {
      const tokenFile = directory.file("token");
      writeFileSync(tokenFile, "a canary\n", { mode: 0o600 });
      const refused = await askedBy(tokenFile).set("Authorization", "Bearer other").expect(401);
      expect(refused.headers["www-authenticate"]).to.equal("Bearer");
      expect(refused.text).not.to.contain("canary");
      await askedBy(tokenFile).expect(401);
      writeFileSync(tokenFile, "another\n");
      await askedBy(tokenFile).set("Authorization", "Bearer another").expect(200);
    });

    it("are refused where no token is set", async () => {
      await askedBy("").set("Authorization", "Bearer anything").expect(401);
    });
  });
});
