import { expect } from "chai";
import { EMAIL } from "../guest/inside/api.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { ADDRESS, ANSWER_MS, Bench, CARD_MIB, LINE, LONGEST_MS } from "./bench.ts";
import { Browser, type RecordRow } from "./browser.ts";
import type { Card } from "./card.ts";
import type { Gateway } from "./gateway.ts";

/** What the emulated network gives by DHCP. */
const GIVEN = "192.168.77.15";
const SALES = 6;
const FIRST_EPHEMERAL_PORT = 32_768;
const LINK = /\/primer-uso#([\w-]+)(?:\/(\S+))?/;
const FINGERPRINT = /Fingerprint \(SHA-256\):\n((?: +[0-9A-F: ]+\n)+)/;

/** What only one start of a card shows, kept for the tests that follow. */
interface Identity {
  readonly machineId: string;
  readonly hostKey: string;
  readonly authority: string;
}

/** Protocols and ports that the network reaches, without the ports from which avahi sends its questions. */
function listenersOf(listening: string): Set<string> {
  const all = listening.split("\n").map((line) => {
    const [kind = "", , , , local = ""] = line.split(/\s+/);
    return { kind, local, port: Number(local.slice(local.lastIndexOf(":") + 1)) };
  });
  const reached = all.filter(
    ({ kind, local, port }) =>
      !/^(127\.|\[::1\])/.test(local) && !(kind === "udp" && port >= FIRST_EPHEMERAL_PORT),
  );
  return new Set(reached.map(({ kind, port }) => `${kind} ${port}`));
}

describe("The card image", function () {
  this.timeout(LONGEST_MS);
  const bench = forSuite(() => Bench.make("rpi"));
  afterEach(() => bench.switchOff());
  const first = { card: undefined as Card | undefined, identity: undefined as Identity | undefined };

  /** Lets the relay's line go high until its sale is told, and then low until its end is. */
  async function sell(gateway: Gateway, browser: Browser, before: number): Promise<readonly RecordRow[]> {
    await gateway.drive("high");
    await until(
      "the sale is in the ledger",
      async () => (await browser.records()).length > before,
      ANSWER_MS,
    );
    await gateway.drive("low");
    return until(
      "the sale has ended",
      async () => {
        const records = await browser.records();
        return records.every(({ endedTime }) => endedTime !== null) && records;
      },
      ANSWER_MS,
    );
  }

  async function healthy(gateway: Gateway): Promise<Browser> {
    const browser = new Browser(gateway.ports, ADDRESS);
    await until(
      "the service answers",
      async () => {
        try {
          await browser.trust();
          return await browser.healthy();
        } catch {
          // Until it listens.
          return false;
        }
      },
      LONGEST_MS,
    );
    return browser;
  }

  it("starts on a Pi: firmware, kernel, initramfs and device trees of each model lie where its firmware looks", () => {
    const card = bench.card("new");
    const files = card.bootFiles();
    expect(files).to.include.members([
      ...["bootcode.bin", "start.elf", "fixup.dat", "start4.elf", "fixup4.dat"],
      ...[
        "bcm2837-rpi-3-b.dtb",
        "bcm2837-rpi-3-b-plus.dtb",
        "bcm2837-rpi-zero-2-w.dtb",
        "bcm2711-rpi-4-b.dtb",
      ],
      ...["config.txt", "cmdline.txt", "flanco.txt"],
    ]);
    const config = card.bootFile("config.txt").toString();
    expect(config).to.contain("arm_64bit=1\n");
    for (const [, name = ""] of config.matchAll(/^(?:kernel=|initramfs )(\S+)/gm)) {
      expect(files, config).to.include(name);
    }
    expect(config.match(/^(?:kernel=|initramfs )/gm)).to.have.length(2);
    const parameters = card.bootFile("cmdline.txt").toString().trim().split(/\s+/);
    expect(parameters).to.include.members([
      "root=PARTUUID=666c616e-02",
      "console=tty0",
      "console=ttyS1,115200",
    ]);
    expect(parameters.lastIndexOf("ro")).to.be.greaterThan(parameters.lastIndexOf("rw"));
  });

  it("calls the lines of each model's header as its drawing does", () => {
    const card = bench.card("new");
    const names = Array.from({ length: 26 }, (_, index) => `GPIO${index + 2}\0`).join("");
    const trees = card.bootFiles().filter((name) => name.endsWith(".dtb"));
    expect(trees).to.have.length.above(6);
    for (const tree of trees) expect(card.bootFile(tree).includes(names), tree).to.equal(true);
    // A Pi 5 says on its screen that a card without its tree is not for it.
    expect(trees.filter((name) => name.startsWith("bcm2712"))).to.deep.equal([]);
  });

  it("brings nothing that should be one machine's alone, and no password", () => {
    const card = bench.card("new");
    expect(card.read("root", "/etc/machine-id")).to.equal("");
    expect(card.names("root", "/etc/ssh").filter((name) => name.startsWith("ssh_host_"))).to.deep.equal([]);
    expect(card.names("root", "/root/.ssh")).to.deep.equal([]);
    expect(card.names("data", "/lib/flanco")).to.deep.equal([]);
    const shadow = (card.read("root", "/etc/shadow") ?? "").trim().split("\n");
    expect(shadow.map((line) => line.split(":")[0])).to.include.members(["root", "flanco"]);
    for (const line of shadow)
      expect(line.split(":")[1], line)
        .to.match(/^!?\*?$/)
        .and.not.equal("");
  });

  it("lets every user of the card read and run what is the card's own", () => {
    const card = bench.card("new");
    const folder = "/usr/lib/flanco-card";
    expect(card.mode("root", folder)).to.equal("0755");
    for (const program of card.names("root", folder)) {
      expect(card.mode("root", `${folder}/${program}`), program).to.equal("0755");
    }
    expect(card.mode("root", "/etc/systemd/network/60-flanco-card.network")).to.equal("0644");
  });

  it("does at its first start what flanco.txt says, shows where it is, and records sales", async () => {
    const card = bench.card("first");
    card.preset(
      [
        "host_name = clinica-7",
        `address = ${ADDRESS}/24`,
        "gateway = 192.168.77.2",
        "time_zone = Atlantic/Canary",
        `email = ${EMAIL}`,
        `ssh_key = ${bench.technician.publicKey}`,
        "",
      ].join("\r\n"),
    );
    const gateway = await bench.switchOn(card, ADDRESS);
    const [, token = "", email] = await gateway.shows(LINK);
    expect(email).to.equal(EMAIL);
    await gateway.shows(new RegExp(`https://${ADDRESS}:8443/primer-uso#`));
    const [, shown = ""] = await gateway.shows(FINGERPRINT);
    expect(gateway.console()).to.contain("clinica-7");
    const browser = new Browser(gateway.ports, ADDRESS);
    const authority = await browser.trust();
    expect(shown.replaceAll(/[^0-9A-F]/g, "")).to.equal(authority);

    await browser.makeFirstUser(token);
    await browser.wireLine(LINE, 4.5);
    for (let sale = 0; sale < SALES; sale += 1) {
      expect(await sell(gateway, browser, sale)).to.have.length(sale + 1);
    }

    const run = (command: string) => bench.technician.run(gateway.ports.ssh, command);
    expect(await run("hostname")).to.equal("clinica-7");
    expect(await run("readlink /etc/localtime")).to.equal("/usr/share/zoneinfo/Atlantic/Canary");
    expect(await run("ip -4 -oneline address show scope global")).to.contain(`${ADDRESS}/24`);
    expect(await run("ip route show default")).to.contain("192.168.77.2");
    expect(await run("systemctl --failed --no-legend --plain")).to.equal("");
    const machineId = await run("cat /etc/machine-id");
    expect(machineId).to.match(/^[0-9a-f]{32}$/);
    first.card = card;
    first.identity = { machineId, hostKey: bench.technician.hostKey(), authority };

    const listening = await run("ss --no-header --listening --tcp --udp --numeric");
    expect(listenersOf(listening), listening).to.deep.equal(
      new Set(["tcp 22", "tcp 8080", "tcp 8443", "udp 5353"]),
    );

    // The card is larger than the image: the data partition has all of that.
    const { start, size } = card.partition("data");
    expect(start + size).to.equal(CARD_MIB * 1024 * 1024);
    const dataBytes = Number(await run("findmnt --noheadings --bytes --output SIZE /var"));
    expect(dataBytes).to.be.greaterThan(0.9 * size);
    expect(await run("findmnt --noheadings --output OPTIONS /")).to.match(/^ro,noatime/);
    expect(await run("findmnt --noheadings --output OPTIONS /var")).to.match(/^rw,.*noatime/);
    expect(await run("findmnt --noheadings --target /var/lib/flanco --output SOURCE")).to.equal("/dev/vda3");
    const swaps = (await run("cat /proc/swaps")).split("\n").slice(1);
    expect(swaps).to.have.length(1);
    expect(swaps[0]).to.match(/^\/dev\/zram0 /);
    expect(await run("cat /sys/class/watchdog/watchdog0/state")).to.equal("active");
    expect(await run("cat /var/lib/fake-hwclock/time")).to.match(/^20\d\d-/);

    await until(
      "the console shows the used link no longer",
      () => {
        const text = gateway.console();
        return !text.slice(text.lastIndexOf("flanco - clinica-7")).includes("primer-uso");
      },
      ANSWER_MS,
    );
    await gateway.drive("high");
    await gateway.cutPower();
  });

  it("keeps every acknowledged sale, once, and its identity, through a power cut", async () => {
    const { card, identity } = first;
    if (card === undefined || identity === undefined) throw new Error("The first start failed.");
    const gateway = await bench.switchOn(card, ADDRESS);
    const browser = await healthy(gateway);
    expect(await browser.trust()).to.equal(identity.authority);
    await browser.login();
    const found = await browser.records();
    // The last rise before the cut may have been kept or not: it was not acknowledged.
    expect(found.length).to.be.within(SALES, SALES + 1);
    expect(new Set(found.map(({ number }) => number)).size).to.equal(found.length);
    expect(await sell(gateway, browser, found.length)).to.have.length(found.length + 1);
    const run = (command: string) => bench.technician.run(gateway.ports.ssh, command);
    expect(await run("cat /etc/machine-id")).to.equal(identity.machineId);
    expect(bench.technician.hostKey()).to.equal(identity.hostKey);
    expect(await run("systemctl --failed --no-legend --plain")).to.equal("");
    expect(await run("findmnt --noheadings --output OPTIONS /")).to.match(/^ro,/);
    const checked = await run("journalctl --boot --output=cat --identifier=systemd-fsck");
    expect(checked).to.match(/flanco-data: /);
    expect(await run("flanco verify")).to.match(/./);
  });

  it("shows mistakes of flanco.txt on the console, then asks by DHCP, has no SSH, and is another machine", async () => {
    const { identity } = first;
    if (identity === undefined) throw new Error("The first start failed.");
    const card = bench.card("second");
    card.preset("host_name = clínica\naddress = 192.168.77.20/99\nssh_key = none\nemail = ana@example.org\n");
    const gateway = await bench.switchOn(card, GIVEN);
    await gateway.shows(LINK);
    await gateway.shows(new RegExp(`https://${GIVEN}:8443/primer-uso#`));
    const shown = gateway.console();
    for (const line of [1, 2, 3]) {
      expect(shown).to.match(new RegExp(`flanco\\.txt, línea ${line}: .* / line ${line}: `));
    }
    expect(shown).to.contain("se usa DHCP / DHCP is used");
    const browser = new Browser(gateway.ports, GIVEN);
    const authority = await browser.trust();
    await gateway.cutPower();
    const machineId = (card.read("root", "/etc/machine-id") ?? "").trim();
    expect(machineId)
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(identity.machineId);
    expect(authority).not.to.equal(identity.authority);
    const hostKey = (card.read("root", "/etc/ssh/ssh_host_ed25519_key.pub") ?? "").split(" ")[1] ?? "";
    expect(hostKey).to.match(/^AAAA/);
    expect(identity.hostKey).not.to.contain(hostKey);
    const [name = ""] = /^flanco-[0-9a-f]{4}$/m.exec(card.read("root", "/etc/hostname") ?? "") ?? [];
    expect(shown).to.contain(`https://${name}.local:8443/`);
    expect(card.names("root", "/root/.ssh")).to.deep.equal([]);
  });
});
