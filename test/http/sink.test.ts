import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import { connectAsync } from "mqtt";
import { HookReceiver, KEY, Secrets } from "../notify/receivers.ts";
import { Appliance } from "../rig/appliance.ts";
import { MqttBroker } from "../rig/mqtt-broker.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { aRecord } from "./bodies.ts";

const MODE = 0o777;
const OTHER_KEY = "fedcba9876543210fedcba9876543210";

describe("What the gateway sends", () => {
  const secrets = forSuite(() => new Secrets().open());
  const appliance = forEachTest(() => Appliance.open());
  const owner = forEachTest(() => appliance.addUser());
  const receiver = forEachTest(() => new HookReceiver(secrets.good));
  let values: Record<string, unknown>;

  beforeEach(async () => {
    const url = `https://localhost:${await receiver.open()}/flanco`;
    const authority = readFileSync(secrets.authorityFile, "utf8");
    values = { webhook_url: url, webhook_key: KEY, webhook_authority: authority };
  });

  const put = (name: string, given: object) => owner.put("/api/sink", { name, values: given });
  const test = async (name: string) => (await owner.post("/api/sink/test", { name }).expect(200)).body.data;
  const setups = async () => (await owner.data("/api/sink")) as { name: string }[];
  const setup = async (name: string) => (await setups()).find((one) => one.name === name);

  it("is set up by an owner, in force at once, tested, and turned off again", async () => {
    expect(await setup("webhook")).to.deep.equal({ name: "webhook", isSet: false, values: {}, stored: [] });
    await owner.post("/api/sink/test", { name: "webhook" }).expect(404);
    await put("webhook", values).expect(200);
    expect(await test("webhook")).to.deep.include({ reached: true, hint: "" });
    expect(JSON.parse(receiver.posted[0]?.body ?? "{}")).to.include({ kind: "test" });
    receiver.status = 403;
    expect((await test("webhook")).message).to.contain("answers 403");
    await owner.delete("/api/sink?name=webhook").expect(200);
    await owner.post("/api/sink/test", { name: "webhook" }).expect(404);
    expect(readdirSync(dirname(appliance.sinkFile("x")))).to.deep.equal(["setups.json"]);
  });

  it("says which there are where another one is named, or none", async () => {
    for (const body of [{ name: "fax", values: {} }, {}]) {
      const { body: refused } = await owner.put("/api/sink", body).expect(400);
      expect(refused.error).to.equal(
        "name: must be one of email, webhook, pulse, mqtt, central, remote, notice, update.",
      );
    }
  });

  it("shows no secret, and keeps each in a file of its owner's", async () => {
    await put("webhook", values).expect(200);
    const { text } = await owner.get("/api/sink").expect(200);
    expect(text).to.not.contain(KEY).and.not.contain("CERTIFICATE");
    expect(await setup("webhook")).to.deep.equal({
      name: "webhook",
      isSet: true,
      values: { webhook_url: values["webhook_url"] },
      stored: ["webhook_key", "webhook_authority"],
    });
    for (const name of ["setups.json", "webhook_key", "webhook_authority"]) {
      expect(statSync(appliance.sinkFile(name)).mode & MODE, name).to.equal(0o600);
    }
    expect(readFileSync(appliance.sinkFile("setups.json"), "utf8")).to.not.contain(KEY);
    const { body } = await owner.get("/api/audit").expect(200);
    const [noted] = body.data;
    expect(noted).to.deep.include({ kind: "sink_changed", who: owner.email });
    expect(noted.details).to.deep.include({ sink: "webhook", on: true });
    expect(JSON.stringify(body)).to.not.contain(KEY).and.not.contain("/flanco");
  });

  it("has the address of the pulse in no answer, and sends no owner's pulse without TLS", async () => {
    const [token, { webhook_authority: authority }] = ["token-of-the-check", values];
    receiver.status = 200;
    const url = `${values["webhook_url"]}/${token}`;
    for (const refused of [url.replace("https", "http"), `https://a@example.org/${token}`, token, ""]) {
      const { body } = await put("pulse", { pulse_url: refused, pulse_authority: authority }).expect(400);
      expect(Object.keys(body.errors)).to.include("pulse_url");
      expect(JSON.stringify(body)).to.not.contain(token);
    }
    await put("pulse", { pulse_url: url, pulse_authority: authority }).expect(200);
    await until("the first one comes", () => receiver.posted.length > 0);
    expect(receiver.posted[0]).to.include({ method: "GET", path: `/flanco/${token}` });
    expect((await test("pulse")).message).to.match(/^The receiver localhost:\d+ answers 200\./);
    await put("pulse", {}).expect(200);
    await put("pulse", { pulse_authority: authority }).expect(400);
    expect(await setup("pulse")).to.deep.include({ values: {}, stored: ["pulse_url", "pulse_authority"] });
    for (const path of ["/api/sink", "/api/status", "/api/audit"]) {
      const { text } = await owner.get(path).expect(200);
      expect(text, path).to.not.contain(token);
      if (path === "/api/audit") expect(text).to.contain(new URL(url).host);
    }
    expect(readFileSync(appliance.sinkFile("setups.json"), "utf8")).to.not.contain(token);
    await owner.delete("/api/sink?name=pulse").expect(200);
    expect(existsSync(appliance.sinkFile("pulse_url"))).to.equal(false);
  });

  it("shows the passphrase of the backups outside of the house once, with each one that it makes", async () => {
    const canary = "canary-of-the-place";
    const remote = { remote_address: "sftp://nosuch.invalid/clinic", remote_login: "ana" };
    const make = () => owner.post("/api/sink/passphrase", {});
    await make().expect(404);
    for (const remote_address of ["ftp://x/y", "sftp://ana@x/y", "s3://x", "x"]) {
      const { body } = await put("remote", { ...remote, remote_address, remote_password: canary }).expect(
        400,
      );
      expect(Object.keys(body.errors)).to.deep.equal(["remote_address"]);
    }
    await put("remote", { ...remote, remote_password: canary }).expect(200);
    expect((await test("remote")).message).to.contain("nobody has printed the passphrase");
    const { passphrase } = (await make().expect(200)).body.data;
    expect(passphrase).to.match(/^([a-z]{4}-){6}[a-z]{4}$/);
    expect(readFileSync(appliance.sinkFile("remote_passphrase"), "utf8")).to.equal(`${passphrase}\n`);
    expect(statSync(appliance.sinkFile("remote_passphrase")).mode & MODE).to.equal(0o600);
    expect((await make().expect(200)).body.data.passphrase).to.not.equal(passphrase);
    await put("remote", { ...remote, remote_limit: 100 }).expect(200);
    expect(await setup("remote")).to.deep.include({ stored: ["remote_password", "remote_passphrase"] });
    for (const path of ["/api/sink", "/api/status", "/api/audit"]) {
      const { text } = await owner.get(path).expect(200);
      expect(text, path)
        .to.not.contain(canary)
        .and.not.match(/[a-z]{4}-[a-z]{4}-[a-z]{4}/);
    }
  });

  it("keeps a secret for the same place alone: nobody gets it by naming another one", async () => {
    await put("webhook", values).expect(200);
    const { webhook_key: _key, webhook_authority: _authority, ...rest } = values;
    await put("webhook", rest).expect(200);
    expect(await test("webhook")).to.include({ reached: true });
    const elsewhere = { ...rest, webhook_url: "https://elsewhere.example.org/" };
    for (const taken of [elsewhere, { ...rest, webhook_authority: values["webhook_authority"] }]) {
      const { body } = await put("webhook", taken).expect(400);
      expect(body.errors.webhook_key.kind).to.equal("required");
    }
    expect(await test("webhook")).to.include({ reached: true });
    await put("webhook", { ...elsewhere, webhook_key: OTHER_KEY }).expect(200);
    expect(readFileSync(appliance.sinkFile("webhook_key"), "utf8")).to.equal(`${OTHER_KEY}\n`);
  });

  it("needs a password where there is a login, and forgets it with the login", async () => {
    const mail = {
      email_server: "smtp://localhost:1",
      email_login: "ana",
      email_from: "a@example.org",
      email_to: ["b@example.org"],
    };
    expect((await put("email", mail).expect(400)).body.errors).to.deep.equal({
      email_password: { kind: "required", message: "is required" },
    });
    await put("email", { ...mail, email_password: "secret" }).expect(200);
    await put("email", { ...mail, email_login: "" }).expect(200);
    expect(existsSync(appliance.sinkFile("email_password"))).to.equal(false);
    expect(await test("email")).to.include({ reached: false });
  });

  it("takes addresses by their rules, and no path of a file", async () => {
    const central = { central_database: "postgresql://a@db.example.org/c", central_password: "x" };
    const pastedInPart = String(values["webhook_authority"]).split("\n").toSpliced(3, 1).join("\n");
    const refused: readonly [string, object, string][] = [
      ["webhook", { ...values, webhook_url: "http://hooks.example.org/" }, "webhook_url"],
      ["webhook", { ...values, webhook_url: "file:///etc/passwd" }, "webhook_url"],
      ["webhook", { ...values, webhook_key: "short" }, "webhook_key"],
      ["webhook", { ...values, webhook_authority: "/etc/passwd" }, "webhook_authority"],
      ["webhook", { ...values, webhook_authority: pastedInPart }, "webhook_authority"],
      ["webhook", { ...values, webhook_key_file: "/etc/passwd" }, "values"],
      ["mqtt", { mqtt_url: "mqtt://user:secret@broker", mqtt_login: "" }, "mqtt_url"],
      ["mqtt", { mqtt_url: "mqtt://[broken", mqtt_login: "" }, "mqtt_url"],
      [
        "central",
        { ...central, central_database: "postgresql://a@/c?host=/run/postgresql" },
        "central_database",
      ],
      [
        "central",
        { ...central, central_database: `${central.central_database}?sslrootcert=/etc/shadow` },
        "central_database",
      ],
      [
        "central",
        { ...central, central_database: "postgresql://a@db.example.org:99999/c" },
        "central_database",
      ],
      ["central", { ...central, central_password: "two\nlines" }, "central_password"],
      [
        "notice",
        { notice_language: "fr", notice_quiet_hours: "", notice_silent_days: 0, notice_summaries: [] },
        "notice_language",
      ],
      ["update", { update_hours: "4 am" }, "update_hours"],
      ["email", { email_server: "", email_login: "", email_from: "", email_to: [] }, "email_server"],
    ];
    for (const [name, given, field] of refused) {
      const { body } = await put(name, given).expect(400);
      expect(Object.keys(body.errors), JSON.stringify(given)).to.include(field);
    }
    await put("other", {}).expect(400);
    expect((await setups()).filter((one) => "isSet" in one && one.isSet)).to.deep.equal([]);
  });

  it("is not set up for several accounts by the owner of one", async () => {
    await appliance.addUser();
    await owner.get("/api/sink").expect(409);
    await put("webhook", values).expect(409);
    await owner.delete("/api/sink?name=webhook").expect(409);
    await owner.post("/api/sink/test", { name: "webhook" }).expect(409);
  });

  it("is off, and the log says so, where its file is damaged", async () => {
    await put("webhook", values).expect(200);
    writeFileSync(appliance.sinkFile("setups.json"), "{");
    const settings = appliance.settingsAnew();
    expect(settings.setups().every(({ isSet }) => !isSet)).to.equal(true);
    expect(appliance.log.errors.join()).to.contain("cannot be read");
    expect(settings.isUnreadable).to.equal(true);
    settings.clear("email");
    expect(settings.isUnreadable, "once something is set up anew").to.equal(false);
  });

  it("of sales begins at once, and after a change goes on where it was", async () => {
    const broker = await MqttBroker.open();
    const reader = await connectAsync(broker.url);
    // A sale may be repeated where the change comes before the broker's answer: its hash tells.
    const sold = new Map<string, number>();
    reader.on("message", (topic, payload) => {
      if (!topic.endsWith("/sale")) return;
      const { hash, valor } = JSON.parse(payload.toString());
      sold.set(hash, valor);
    });
    await reader.subscribeAsync("flanco/#", { qos: 1 });
    const sell = (valor: number) => owner.post("/api/data", aRecord({ valor })).expect(201);
    await put("mqtt", { mqtt_url: broker.url, mqtt_login: "" }).expect(200);
    await sell(1);
    await until("the sale is published", () => sold.size === 1);
    await sell(2);
    await put("mqtt", { mqtt_url: broker.url, mqtt_login: "flanco", mqtt_password: "x" }).expect(200);
    await until("the next one is", () => sold.size === 2);
    expect([...sold.values()]).to.deep.equal([1, 2]);
    await reader.endAsync(true);
    await owner.delete("/api/sink?name=mqtt").expect(200);
    await broker.close();
  });

  it("is there again in the next process", async () => {
    await put("webhook", values).expect(200);
    expect(appliance.settingsAnew().of("webhook")).to.include({
      webhook_url: values["webhook_url"],
      webhook_key_file: appliance.sinkFile("webhook_key"),
    });
  });
});
