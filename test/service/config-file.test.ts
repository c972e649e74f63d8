import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect } from "chai";
import { parse, stringify } from "smol-toml";
import { CONFIG_KEYS, type Config } from "../../src/contract/config/schema.ts";
import { type Environment, loadConfig } from "../../src/service/config-file.ts";
import { thrown } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const CHECKOUT = "/somewhere/flanco";

describe("The configuration", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  function write(text: string): string {
    const file = directory.file("flanco.toml");
    writeFileSync(file, text);
    return file;
  }

  function mistakes(flags: Record<string, unknown>, environment: Environment = {}): string[] {
    const error = thrown(() => loadConfig(flags, environment, CHECKOUT));
    expect(error.code).to.equal("config");
    return error.message.split("\n");
  }

  it("of a checkout shows itself at once: data beside it, simulated lines, a demonstration", () => {
    const config = loadConfig({}, {}, CHECKOUT);
    expect(config).to.include({
      data_dir: "/somewhere/flanco/data",
      clock_trust: "always",
      gpio_driver: "simulated",
      demo: true,
      https_port: 8443,
      http_port: 8080,
    });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it("of an installation watches real lines and keeps its data where services do", () => {
    // Named, so that a file of a machine that runs flanco says nothing here.
    const config = loadConfig({ config: write("") }, {}, null);
    expect(config).to.include({
      data_dir: "/var/lib/flanco",
      clock_trust: "auto",
      gpio_driver: "chardev",
      demo: false,
      https_port: 8443,
      http_port: 8080,
      host: "",
      log_level: "info",
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    expect(config.allowed_origins).to.deep.equal([]);
  });

  it("of an installation is what a card's flanco.txt says, but for what its own file says", () => {
    const card = directory.file("card.toml");
    writeFileSync(card, 'clock_trust = "always"\nlog_level = "warn"\n');
    const files = [card, directory.file("missing.toml"), write('log_level = "error"\n')];
    expect(loadConfig({}, {}, null, files)).to.include({ clock_trust: "always", log_level: "error" });
    expect(loadConfig({}, {}, CHECKOUT, files)).to.include({ log_level: "info" });
    expect(loadConfig({ config: files[2] }, {}, null, files)).to.include({ clock_trust: "auto" });
  });

  for (const zone of [":/etc/localtime", "", "Foo/Bar"]) {
    it(`has days in UTC where the system's time zone has no name, as with TZ=${zone}`, () => {
      const parse = new URL("../../src/service/config-file.ts", import.meta.url);
      const script = `const { defaultConfig } = await import("${parse}"); console.log(defaultConfig(null).time_zone);`;
      const options = { env: { ...process.env, TZ: zone }, encoding: "utf8" } as const;
      const args = ["--input-type=module", "--eval", script];
      expect(execFileSync(process.execPath, args, options)).to.equal("UTC\n");
    });
  }

  it("takes flags over the environment over the file over its defaults", () => {
    const config = write('http_port = 1001\nhttps_port = 1002\nhost = "10.0.0.1"\n');
    const environment = { FLANCO_HTTP_PORT: "2001", FLANCO_HTTPS_PORT: "2002" };
    const loaded = loadConfig({ config, httpPort: "3001" }, environment, CHECKOUT);
    expect(loaded).to.include({ http_port: 3001, https_port: 2002, host: "10.0.0.1", log_level: "info" });
  });

  it("reads the file that FLANCO_CONFIG names, unless --config names another", () => {
    const file = write("http_port = 1001\n");
    const other = directory.file("other.toml");
    writeFileSync(other, "http_port = 1002\n");
    expect(loadConfig({}, { FLANCO_CONFIG: file }, CHECKOUT).http_port).to.equal(1001);
    expect(loadConfig({ config: other }, { FLANCO_CONFIG: file }, CHECKOUT).http_port).to.equal(1002);
  });

  it("reads numbers, switches and lists from the environment's texts", () => {
    const loaded = loadConfig(
      {},
      {
        FLANCO_DEMO: "false",
        FLANCO_SIMULATED_LINES: "3",
        FLANCO_ALLOWED_ORIGINS: "https://a.example.org, http://localhost:5173",
      },
      CHECKOUT,
    );
    expect(loaded).to.include({ demo: false, simulated_lines: 3 });
    expect(loaded.allowed_origins).to.deep.equal(["https://a.example.org", "http://localhost:5173"]);
    expect(loadConfig({}, { FLANCO_ALLOWED_ORIGINS: "" }, CHECKOUT).allowed_origins).to.deep.equal([]);
  });

  it("takes names and addresses for host_names, and nothing that has more in it", () => {
    const names = (text: string) => ({ FLANCO_HOST_NAMES: text });
    const taken = loadConfig({}, names("panel.example.org, Otro, 10.0.0.1, 2001:db8::1"), CHECKOUT);
    expect(taken.host_names).to.deep.equal(["panel.example.org", "Otro", "10.0.0.1", "2001:db8::1"]);
    for (const wrong of ["https://a.example.org", "a.example.org:8443", "a b", "a/b", "a@b", "[::1]"]) {
      expect(mistakes({}, names(wrong)), wrong).to.have.lengthOf(1);
    }
  });

  it("takes no data directory below ~, and an address alone to serve on: others would be found out late", () => {
    for (const wrong of ["~/flanco", ""]) {
      expect(mistakes({}, { FLANCO_DATA_DIR: wrong }), wrong).to.have.lengthOf(1);
    }
    for (const wrong of ["192.168.1.300", "0.0.0.0:8443", "flanco.local"]) {
      expect(mistakes({}, { FLANCO_HOST: wrong }), wrong).to.have.lengthOf(1);
    }
    expect(loadConfig({}, { FLANCO_HOST: "fd00::1" }, CHECKOUT).host).to.equal("fd00::1");
  });

  it("takes an e-mail for the first user, or none", () => {
    const email = (text: string) => ({ FLANCO_FIRST_USER_EMAIL: text });
    expect(loadConfig({}, email("ana@example.org"), CHECKOUT).first_user_email).to.equal("ana@example.org");
    expect(loadConfig({}, email(""), CHECKOUT).first_user_email).to.equal("");
    for (const wrong of ["ana", "ana@", "a b@example.org", "ana@example.org/x"]) {
      expect(mistakes({}, email(wrong)), wrong).to.have.lengthOf(1);
    }
  });

  it("ignores the environment's other variables, and those of tests", () => {
    const environment = { PATH: "/bin", FLANCOISH: "1", FLANCO_TEST_GUEST: "1", FLANCO_HOST: undefined };
    expect(loadConfig({}, environment, CHECKOUT)).to.deep.equal(loadConfig({}, {}, CHECKOUT));
  });

  it("refuses a key of the file that it does not know, and says which there are", () => {
    const [mistake = "", ...others] = mistakes({ config: write("http_prot = 8080\n") });
    expect(others).to.deep.equal([]);
    expect(mistake).to.match(/flanco\.toml: http_prot: there is no such setting \(there are: data_dir, /);
    expect(mistake).to.contain("http_port");
  });

  it("refuses a misspelt variable of the environment", () => {
    const [mistake, ...others] = mistakes({}, { FLANCO_HTTP_PROT: "8080" });
    expect(others).to.deep.equal([]);
    expect(mistake).to.match(/^environment variable FLANCO_HTTP_PROT: there is no such setting/);
  });

  it("reports all mistakes of all sources at once, each with its place", () => {
    const config = write('https_port = "many"\ncolour = "red"\nallowed_origins = ["example.org"]\n');
    const environment = { FLANCO_HTTP_PORT: "0", FLANCO_TIME_ZONE: "Mars/Olympus", FLANCO_COLOUR: "red" };
    const told = mistakes({ config, gpioDriver: "telepathy", logLevel: "loud" }, environment);
    const places = told.map((mistake) =>
      mistake.replace(directory.path, "").replace(/^(--[\w-]+|[^:]*variable \w+|[^:]*: [^:]*): .*$/, "$1"),
    );
    expect(places).to.have.members([
      "/flanco.toml: https_port",
      "/flanco.toml: colour",
      "/flanco.toml: allowed_origins[0]",
      "environment variable FLANCO_HTTP_PORT",
      "environment variable FLANCO_TIME_ZONE",
      "environment variable FLANCO_COLOUR",
      "--gpio-driver",
      "--log-level",
    ]);
    expect(told.join("\n")).to.contain("must be an IANA time zone, such as Europe/Madrid");
  });

  it("says what a setting takes that is of a wrong form or too large", () => {
    const config = write("currency_decimals = 7\ntrust_page = 1\nhost = 5\n");
    const flags = {
      dataDir: "",
      httpsPort: "65536",
      dailyRecords: "0",
      firstUserEmail: "ana",
      boxBroker: "tcp://example.org",
      centralDatabase: "company",
    };
    expect(mistakes({ config, ...flags }).map((told) => told.replace(directory.path, ""))).to.have.members([
      "/flanco.toml: currency_decimals: must be a whole number, 0 to 6.",
      "/flanco.toml: trust_page: must be true or false.",
      "/flanco.toml: host: must be a text.",
      "--data-dir: must name a directory in full, without ~.",
      "--https-port: must be a whole number, 1 to 65535.",
      "--daily-records: must be a whole number, 1 or more.",
      "--first-user-email: must be an e-mail address, or empty.",
      "--box-broker: must be mqtt://HOST:PORT or mqtts://HOST:PORT.",
      "--central-database: must be postgresql://ROLE@HOST:PORT/DATABASE.",
    ]);
  });

  it("keeps what a file or the environment says of sinks for the first start, whatever it is", () => {
    const config = write('email_server = 5\nwebhook_url = "x"\nhttp_port = 8081\n');
    const { sinks, http_port } = loadConfig({ config }, { FLANCO_WEBHOOK_URL: "y" }, CHECKOUT);
    expect([sinks, http_port]).to.deep.equal([{ email_server: 5, webhook_url: "y" }, 8081]);
    const empty = { FLANCO_WEBHOOK_URL: "", FLANCO_MQTT_DISCOVERY_TOPIC: "" };
    expect(loadConfig({ config }, empty, CHECKOUT).sinks, "an empty one counts too").to.deep.equal({
      email_server: 5,
      mqtt_discovery_topic: "",
    });
    expect(mistakes({ config: write("email_sever = 5\n") })[0]).to.include("there is no such setting");
  });

  it("says what is missing for relay boxes, and that one port serves not both", () => {
    expect(mistakes({ gpioDriver: "mqtt", httpPort: "8443" })).to.deep.equal([
      "box_broker: must be set for the driver mqtt.",
      "box_user: must be set for the driver mqtt.",
      "http_port: must be another port than https_port.",
    ]);
  });

  it("reports a mistake even where another source overrides it", () => {
    const told = mistakes({ config: write("http_port = 99999\n"), httpPort: "8080" });
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/flanco\.toml: http_port: /);
  });

  it("says the line and the column of what is not TOML, beside the mistakes of other sources", () => {
    const told = mistakes({ config: write("http_port = 8080\nhost = = 1\n") }, { FLANCO_HTTP_PORT: "x" });
    expect(told).to.have.length(2);
    expect(told[0]).to.match(/flanco\.toml, line 2, column 8: /);
    expect(told[1]).to.match(/^environment variable FLANCO_HTTP_PORT: must be a whole number, 1 to 65535\.$/);
  });

  it("says of a file that cannot be read which it is, beside the mistakes of other sources", () => {
    const missing = directory.file("missing.toml");
    const told = mistakes({ config: missing, httpPort: "x" });
    expect(told).to.have.length(2);
    expect(told[0]).to.contain(missing);
    expect(told[1]).to.match(/^--http-port: /);
  });

  for (const [name, value] of [
    ["a port of 0", { httpPort: "0" }],
    ["a port beyond 65535", { httpsPort: "65536" }],
    ["a port with a unit", { httpPort: "8080/tcp" }],
    ["a port in other digits", { httpPort: "8e3" }],
    ["an empty data directory", { dataDir: "" }],
    ["a switch that is neither true nor false", { demo: "yes" }],
    ["an origin with a path", { allowedOrigins: "https://example.org/panel" }],
    ["an origin with a slash at its end", { allowedOrigins: "https://example.org/" }],
    ["a trust in the clock that there is not", { clockTrust: "never" }],
    ["more simulated lines than there can be", { simulatedLines: "65" }],
    ["a currency by its sign", { currency: "€" }],
    ["a currency in small letters", { currency: "eur" }],
    ["more decimals than the ledger keeps", { currencyDecimals: "7" }],
    ["decimals that are none", { currencyDecimals: "two" }],
  ] as const) {
    it(`refuses ${name}`, () => {
      expect(mistakes(value)).to.have.length(1);
    });
  }

  it("written as TOML and read again is the same", () => {
    const config = loadConfig({ allowedOrigins: "https://a.example.org", demo: "false" }, {}, CHECKOUT);
    const { sinks: _, ...settings } = config;
    const again = loadConfig({ config: write(stringify(settings)) }, {}, CHECKOUT) satisfies Config;
    expect(again).to.deep.equal(config);
    expect(Object.keys(parse(stringify(settings)))).to.have.members(CONFIG_KEYS);
  });
});
