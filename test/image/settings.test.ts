import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "smol-toml";
import { CARD_FILES } from "../../scripts/image/base.ts";
import { loadConfig } from "../../src/service/config-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const SCRIPTS = join(CARD_FILES, "usr", "lib", "flanco-card");
const KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAmghVZZXn1R2lXKcgzQfZj+RoqQ7ZGLu1bV8TPQYoIV ana@example.org";
const NETWORK = "etc/systemd/network/50-flanco-txt.network";
const WIFI = "etc/wpa_supplicant/wpa_supplicant-wlan0.conf";
const WIFI_UNIT = "etc/systemd/system/multi-user.target.wants/wpa_supplicant@wlan0.service";
const KEYS = "root/.ssh/authorized_keys";
const UPDATES = "etc/flanco/updates";
const TIME = "etc/systemd/timesyncd.conf.d/60-flanco-card.conf";
const SERIAL = "proc/device-tree/serial-number";
const RTC = "etc/flanco/rtc";
const KERNEL = "etc/flanco/kernel";
const BACKUP_DISK = "etc/flanco/backup-disk";
const PASSWORD = "etc/flanco/email-password";
const MADE = [NETWORK, WIFI, WIFI_UNIT, KEYS, UPDATES, TIME, RTC, PASSWORD, KERNEL, BACKUP_DISK];
const MAIL =
  "email_server = smtps://mail.example.org\nemail_from = flanco@example.org\nemail_to = ana@example.org\n";

describe("flanco.txt", () => {
  const root = forEachTest(() => new TemporaryDirectory());

  function put(path: string, text: string): void {
    mkdirSync(join(root.file(path), ".."), { recursive: true });
    writeFileSync(root.file(path), text);
  }

  beforeEach(() => {
    for (const zone of ["Europe/Madrid", "Atlantic/Canary"]) put(join("usr/share/zoneinfo", zone), "");
    put(SERIAL, "100000003D1E2F4A\0");
  });

  /** What the card's own script says to a file, which it has done below `root`. */
  function settle(text: string): string[] {
    const file = root.file("flanco.txt");
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync("bash", [join(SCRIPTS, "settings"), file, root.path], {
      encoding: "utf8",
    });
    expect(stderr).to.equal("");
    expect(status).to.equal(0);
    return stdout.split("\n").filter((line) => line !== "");
  }

  const read = (path: string) => readFileSync(root.file(path), "utf8");
  /** The files that are made for settings, of all that there may be. A link leads nowhere on this machine. */
  const made = () =>
    MADE.filter((path) => lstatSync(root.file(path), { throwIfNoEntry: false }) !== undefined);
  /** What flanco itself reads of it. */
  const flanco = () => parse(read("etc/flanco/card.toml"));
  const zone = () => readlinkSync(root.file("etc/localtime"));

  it("as the image brings it sets nothing: the board's name, DHCP, Madrid's time, no key, and updates come", () => {
    expect(settle(readFileSync(join(CARD_FILES, "boot/firmware/flanco.txt"), "utf8"))).to.deep.equal([]);
    expect(read("etc/hostname")).to.equal("flanco-2f4a\n");
    expect(zone()).to.equal("/usr/share/zoneinfo/Europe/Madrid");
    expect(flanco()).to.deep.equal({});
    expect(made()).to.deep.equal([UPDATES]);
  });

  it("shows each setting with a value that counts once the # is taken away", () => {
    const shown = readFileSync(join(CARD_FILES, "boot/firmware/flanco.txt"), "utf8")
      .replace("ssh-ed25519 AAAA... nombre", KEY)
      .replaceAll(/^#(wifi_password|email_password) = $/gm, "#$1 = a long secret")
      .replaceAll(/^#([a-z_]+ =)/gm, "$1");
    expect(settle(shown)).to.deep.equal([]);
    expect(made()).to.deep.equal(MADE.filter((path) => path !== UPDATES));
  });

  it("sets name, a static address, time zone, e-mail, keys and updates", () => {
    const said = settle(
      [
        "host_name = Clinica-7",
        "address = 192.0.2.20/24",
        "gateway=192.0.2.1",
        "dns = 192.0.2.1, 192.0.2.2",
        "time_zone = Atlantic/Canary",
        "time_server = time.example.org",
        "email = ana@example.org",
        `ssh_key = ${KEY}`,
        "updates = no",
      ].join("\n"),
    );
    expect(said).to.deep.equal([]);
    expect(read("etc/hostname")).to.equal("clinica-7\n");
    expect(read("etc/hosts")).to.contain("127.0.1.1 clinica-7\n");
    expect(read(NETWORK).split("\n")).to.include.members([
      "Type=ether",
      "Address=192.0.2.20/24",
      "Gateway=192.0.2.1",
      "DNS=192.0.2.1",
      "DNS=192.0.2.2",
    ]);
    expect(zone()).to.equal("/usr/share/zoneinfo/Atlantic/Canary");
    expect(read(TIME)).to.contain("NTP=time.example.org\n");
    expect(flanco()).to.deep.equal({ first_user_email: "ana@example.org" });
    expect(read(KEYS)).to.equal(`${KEY}\n`);
    expect(statSync(root.file(KEYS)).mode & 0o777).to.equal(0o600);
    expect(made()).not.to.include(UPDATES);
  });

  it("without a name gives the one that was made at first, also in another board", () => {
    settle("");
    put(SERIAL, "1000000012345678\0");
    settle("host_name = clinica\n");
    settle("");
    expect(read("etc/hostname")).to.equal("flanco-2f4a\n");
    expect(read("etc/hosts")).to.contain("127.0.1.1 flanco-2f4a\n");
  });

  it("names a board without a serial number by its network address, or else by the card's own id", () => {
    for (const [file, text, name] of [
      ["etc/machine-id", "0123456789abcdef0123456789abc7e0\n", "flanco-c7e0\n"],
      ["sys/class/net/end0/address", "d8:3a:dd:01:0b:3c\n", "flanco-0b3c\n"],
    ] as const) {
      rmSync(root.file("proc"), { recursive: true, force: true });
      rmSync(root.file("var"), { recursive: true, force: true });
      put("sys/class/net/lo/address", "00:00:00:00:00:00\n");
      put(file, text);
      settle("");
      expect(read("etc/hostname")).to.equal(name);
    }
  });

  it("is read as Windows writes it, and without a line's end at its end", () => {
    expect(settle("\ufeffhost_name = clinica\r\n# nada\r\n\r\nemail = ana@example.org\r")).to.deep.equal([]);
    expect(read("etc/hostname")).to.equal("clinica\n");
    expect(flanco()).to.deep.equal({ first_user_email: "ana@example.org" });
  });

  it("takes back what it set once that is taken out of it", () => {
    settle(
      `address = 192.0.2.20/24\nssh_key = ${KEY}\nupdates = no\ntime_server = 192.0.2.1\nrtc = ds3231\nkernel = previous\nbackup_disk = yes\n${MAIL}email_login = ana\nemail_password = secret\n`,
    );
    expect(made()).to.deep.equal([NETWORK, KEYS, TIME, RTC, PASSWORD, KERNEL, BACKUP_DISK]);
    settle("");
    expect(made()).to.deep.equal([UPDATES]);
    expect(flanco()).to.deep.equal({});
  });

  it("gives flanco mail server, backup disk and clock, which it understands", () => {
    const said = settle(
      'email_server = smtp://mail.example.org:587\nemail_from = flanco@example.org\nemail_to = ana@example.org,eva@example.org,\nemail_login = ana\nemail_password = a "b" \\c\nbackup_disk = yes\nclock_trust = always\nrtc = pcf8523\n',
    );
    expect(said).to.deep.equal([]);
    expect(read(RTC)).to.equal("pcf8523\n");
    expect(read(PASSWORD)).to.equal('a "b" \\c\n');
    expect(statSync(root.file(PASSWORD)).mode & 0o777).to.equal(0o600);
    const { clock_trust, backup_disk_dir, sinks } = loadConfig({}, {}, null, [
      root.file("etc/flanco/card.toml"),
    ]);
    expect({ clock_trust, backup_disk_dir, sinks }).to.deep.equal({
      clock_trust: "always",
      backup_disk_dir: "/mnt/backup/flanco",
      sinks: {
        email_server: "smtp://mail.example.org:587",
        email_from: "flanco@example.org",
        email_to: ["ana@example.org", "eva@example.org"],
        email_login: "ana",
        email_password_file: "/etc/flanco/email-password",
      },
    });
  });

  it("joins a wireless network with any characters in its name", () => {
    const said = settle(
      'wifi_name = Clínica "1"\nwifi_password = a "b" \\c d e\nwifi_country = ES\naddress = 192.0.2.9/28\n',
    );
    expect(said).to.deep.equal([]);
    expect(read(WIFI)).to.contain(`ssid=${Buffer.from('Clínica "1"').toString("hex")}\n`);
    expect(read(WIFI)).to.contain('psk="a "b" \\c d e"\n');
    expect(read(WIFI)).to.contain("country=ES\n");
    expect(statSync(root.file(WIFI)).mode & 0o777).to.equal(0o600);
    expect(readlinkSync(root.file(WIFI_UNIT))).to.contain("wpa_supplicant@.service");
    expect(read(NETWORK)).to.contain("Type=wlan\n");
  });

  const WRONG: readonly (readonly [string, string])[] = [
    ["host_name = clinica 7", "host_name"],
    ["host_name = -clinica", "host_name"],
    ["host_name = $(reboot)", "host_name"],
    ["time_zone = Europe/Atlantis", "time_zone"],
    ["time_zone = ../../../etc/passwd", "time_zone"],
    ["time_server = un servidor", "time_server"],
    ["email = ana", "email"],
    ["email = ana@example.org\\nX=1", "email"],
    ["email = ana..b@example.org", "email"],
    ["email = ana.@example.org", "email"],
    ["email = \u001b[2J", "email"],
    ["email_to = \u001b[2J", "email_to"],
    ["ssh_key = no key", "ssh_key"],
    ["ssh_key = ssh-ed25519 AAAA", "ssh_key"],
    ["updates = maybe", "updates"],
    ["rtc = ds9999", "rtc"],
    ["kernel = 6.12", "kernel"],
    ["clock_trust = yes", "clock_trust"],
    ["backup_disk = /dev/sda", "backup_disk"],
    ["email_server = mail.example.org", "email_server"],
    ["email_server = smtps://mail.example.org", "email_from"],
    ["email_to = ana@example.org", "email_server"],
    ["hostname = clinica", "hostname"],
    ["host_name", "name = value"],
    ["host_name =", "host_name"],
    ["wifi_name = clinica", "wifi_country"],
    ["wifi_password = a long secret", "wifi_password"],
  ];
  for (const [line, named] of WRONG) {
    it(`reports in both languages, with its line, the mistake ${line}`, () => {
      const said = settle(`# one\n\n${line}\n`);
      expect(said[0]).to.match(/^flanco\.txt, línea 3: .* \/ line 3: /);
      expect(said[0])
        .to.contain(named)
        .and.not.match(/\p{Cc}/u);
      expect(read("etc/hostname")).to.equal("flanco-2f4a\n");
      expect(zone()).to.equal("/usr/share/zoneinfo/Europe/Madrid");
      expect(made()).to.deep.equal([UPDATES]);
    });
  }

  for (const line of [
    "email_to = ana",
    "email_from = a b@c",
    'email_login = a"b',
    "email_login = ana",
    "email_password = x",
  ]) {
    it(`sets no mail server, and says so, instead of a part of one with ${line}`, () => {
      const [key = ""] = line.split(" ");
      const others = MAIL.split("\n").filter((one) => !one.startsWith(key));
      expect(settle([...others, line].join("\n"))).to.have.length.above(0);
      expect(flanco()).to.deep.equal({});
      expect(made()).to.deep.equal([UPDATES]);
    });
  }

  it("keeps the right lines beside a wrong one", () => {
    expect(settle("host_name = a b\nemail = eva@example.org\ntime_zone = Atlantic/Canary\n")).to.have.length(
      1,
    );
    expect(flanco()).to.deep.equal({ first_user_email: "eva@example.org" });
    expect(zone()).to.contain("Canary");
  });

  it("reports a setting that is given twice, and takes the first", () => {
    const said = settle("host_name = one\nhost_name = two\n");
    expect(said).to.have.length(1);
    expect(said[0]).to.match(/línea 2: host_name ya está en la línea 1/);
    expect(read("etc/hostname")).to.equal("one\n");
  });

  const NO_NETWORK = [
    "address = 192.0.2.300/24",
    "address = 192.0.2.20",
    "address = 192.0.2.020/24",
    "address = 192.0.2.20/33",
    "address = 192.0.2.20/08x",
    "address = 192.0.2.0/24",
    "address = 192.0.2.255/24",
    "address = 192.0.2.20/24\ngateway = 192.0.3.1",
    "address = 192.0.2.20/24\ngateway = 192.0.2.20",
    "address = 192.0.2.20/24\ngateway = router",
    "address = 192.0.2.20/24\ndns = 192.0.2.1, router",
  ];
  for (const text of NO_NETWORK) {
    it(`uses DHCP, and says so, instead of a part of ${text.replace("\n", ", ")}`, () => {
      const said = settle(`${text}\n`);
      expect(said.at(-1)).to.equal("flanco.txt: se usa DHCP / DHCP is used");
      expect(said.length).to.be.greaterThan(1);
      expect(made()).to.deep.equal([UPDATES]);
    });
  }
});

describe("The card's scripts", () => {
  for (const name of readdirSync(SCRIPTS)) {
    it(`${name} is one that its shell reads`, () => {
      const { status, stderr } = spawnSync("bash", ["-n", join(SCRIPTS, name)], { encoding: "utf8" });
      expect(stderr).to.equal("");
      expect(status).to.equal(0);
    });
  }
});
