import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { SinkSettings, setSinksAside } from "../../src/service/sink-settings.ts";
import { KEY, Secrets } from "../notify/receivers.ts";
import { forEachTest } from "../rig/standing.ts";

const MODE = 0o777;
const OTHER_URL = "https://elsewhere.example.org/";

describe("The sinks of a settings file", () => {
  const secrets = forEachTest(() => new Secrets().open());
  /** What the log has: with what came beside it, and the errors' own texts. */
  let logged: string[];
  const log = {
    info: (fields: object, text: string) => void logged.push(JSON.stringify(fields), text),
    error: ({ err, ...fields }: { readonly err?: unknown }, text: string) =>
      void logged.push("ERROR", String(err), JSON.stringify(fields), text),
  };
  let webhook: Record<string, unknown>;
  let email: Record<string, unknown>;

  const directory = () => secrets.directory.file("sinks");
  /** As the service's start opens it. */
  function start(sinks: Record<string, unknown>): SinkSettings {
    logged = [];
    const settings = new SinkSettings({ config: { sinks }, directory: directory(), log });
    settings.open();
    settings.takeOver();
    return settings;
  }
  const setIn = (settings: SinkSettings) =>
    settings.setups().flatMap(({ name, isSet }) => (isSet ? [name] : []));

  beforeEach(() => {
    webhook = {
      webhook_url: "https://hooks.example.org/",
      webhook_key_file: secrets.keyFile,
      webhook_authority_file: secrets.authorityFile,
    };
    email = {
      email_server: "smtps://mail.example.org",
      email_login: "ana",
      email_password_file: secrets.passwordFile,
      email_from: "a@example.org",
      email_to: ["b@example.org"],
    };
  });

  it("are taken over at the first start with what their files hold, and the log says so without it", () => {
    const notices = { notice_quiet_hours: "22:00-07:00" };
    const first = start({ ...webhook, ...email, ...notices, mqtt_topic: "unused", https_port: 1 });
    expect(setIn(first)).to.deep.equal(["email", "webhook", "notice"]);
    expect(first.ofOwners(), "they are for all accounts").to.deep.equal([]);
    expect(logged.join()).to.contain("from now on: remove them").and.contain("email_server");
    expect(logged.join()).to.not.contain(KEY).and.not.contain("a mail password");
    for (const file of [secrets.keyFile, secrets.passwordFile, secrets.authorityFile])
      writeFileSync(file, "gone");
    const next = start({});
    expect(next.of("email")).to.include({ email_login: "ana", email_authority_file: "" });
    expect(next.of("notice")).to.include({ notice_language: "es", notice_quiet_hours: "22:00-07:00" });
    for (const [key, text] of [
      ["webhook_key", KEY] as const,
      ["email_password", "a mail password"] as const,
    ]) {
      expect(readFileSync(join(directory(), key), "utf8").trim()).to.equal(text);
      expect(statSync(join(directory(), key)).mode & MODE).to.equal(0o600);
    }
    expect(readFileSync(join(directory(), "webhook_authority"), "utf8")).to.contain("BEGIN CERTIFICATE");
  });

  it("may have a pulse without TLS, to a monitor on the local network, whose address is in a file", () => {
    const address = "http://192.168.1.9:3001/api/push/token?status=up";
    const settings = start({ pulse_url_file: secrets.write("pulse", `${address}\n`) });
    expect(setIn(settings)).to.deep.equal(["pulse"]);
    expect(readFileSync(settings.of("pulse")?.pulse_url_file ?? "", "utf8").trim()).to.equal(address);
    expect(logged.join()).to.not.contain("token");
    expect(() => settings.check({ name: "pulse", values: { pulse_url: address } }, false)).to.throw("https");
  });

  it("come from the environment too, which has texts alone", () => {
    const settings = start({
      ...email,
      email_to: "b@example.org, c@example.org",
      mqtt_url: "mqtt://broker.example.org",
      mqtt_history: "true",
      notice_silent_days: "3",
      notice_summaries: "",
    });
    expect(settings.of("email")?.email_to).to.deep.equal(["b@example.org", "c@example.org"]);
    expect(settings.of("mqtt")).to.include({ mqtt_history: true, mqtt_topic: "flanco" });
    expect(settings.of("notice")).to.deep.include({ notice_silent_days: 3, notice_summaries: [] });
  });

  it("are taken over once: what is changed, or turned off, since then stays so", () => {
    const settings = start({ ...webhook, ...email });
    settings.clear("email");
    settings.set({ name: "webhook", values: { webhook_url: OTHER_URL, webhook_key: KEY } }, false);
    const next = start({ ...webhook, ...email });
    expect(setIn(next)).to.deep.equal(["webhook"]);
    expect(next.of("webhook")?.webhook_url).to.equal(OTHER_URL);
    expect(logged.join()).to.contain("say nothing any more").and.not.contain("ERROR");
  });

  it("that cannot be taken over stop nothing: the others are, and each start tries again", () => {
    const broken = { ...webhook, ...email, email_password_file: "/none", mqtt_url: "tcp://broker" };
    const settings = start(broken);
    expect(setIn(settings)).to.deep.equal(["webhook"]);
    expect(logged.join(), "they are still needed").to.not.contain("remove them");
    expect(setIn(start(broken))).to.deep.equal(["webhook"]);
    expect(logged.join()).to.not.contain("remove them");
    expect(settings.isUnreadable).to.equal(true);
    expect(logged.join()).to.contain("/none cannot be read").and.contain("mqtt_url must be mqtt://");
    expect(setIn(start({ ...webhook, ...email }))).to.deep.equal(["email", "webhook"]);
  });

  it("that could not be taken over are a fault until they are set up, whatever else is", () => {
    const settings = start({ ...email, email_password_file: "/none" });
    settings.set({ name: "webhook", values: { webhook_url: OTHER_URL, webhook_key: KEY } }, false);
    expect(settings.isUnreadable).to.equal(true);
    settings.clear("email");
    expect(settings.isUnreadable).to.equal(false);
  });

  it("stay as they were decided where a change of them breaks off", () => {
    const settings = start(webhook);
    settings.set({ name: "webhook", values: { webhook_url: OTHER_URL, webhook_key: KEY } }, false);
    mkdirSync(join(directory(), "webhook_authority.new"));
    const change = { webhook_url: "https://third.example.org/", webhook_key: KEY, webhook_authority: "x" };
    expect(() => settings.set({ name: "webhook", values: change }, false)).to.throw();
    rmdirSync(join(directory(), "webhook_authority.new"));
    expect(setIn(start(webhook)), "not the file's again").to.deep.equal([]);
  });

  it("do not come back when they are set aside for another ledger", () => {
    start(webhook);
    const dataDirectory = { ...dataDirectoryOf(secrets.directory.path), sinks: directory() };
    const aside = setSinksAside(dataDirectory, 1) ?? "";
    expect(readdirSync(aside)).to.include("webhook_key");
    expect(setIn(start(webhook))).to.deep.equal([]);
    expect(existsSync(join(directory(), "webhook_key"))).to.equal(false);
  });
});
