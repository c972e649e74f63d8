import { expect } from "chai";
import { EMAIL } from "../guest/inside/api.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { ADDRESS, ANSWER_MS, Bench, LINE, LONGEST_MS } from "./bench.ts";
import { Browser } from "./browser.ts";

/** The trees of both processors of a Pi 5, the second by each name that the firmware may ask for. */
const TREES = ["bcm2712-rpi-5-b.dtb", "bcm2712-d-rpi-5-b.dtb", "bcm2712d0-rpi-5-b.dtb"];
/** What finds a Pi 5's card before the root is there. */
const EARLY = ["sdhci-brcmstb", "pinctrl-brcmstb-bcm2712", "gpio-brcmstb", "gpio-regulator", "fixed", "ext4"];
/** The header, the network, and what both hang on. */
const DRIVERS = ["pinctrl_rp1", "rp1_pci", "clk_rp1", "irq_bcm2712_mip", "macb", "gpio_sim"];

/** A Pi 5 cannot be emulated: its kernel runs here on the machine of the other card's tests. */
describe("The card image for a Raspberry Pi 5", function () {
  this.timeout(LONGEST_MS);
  const bench = forSuite(() => Bench.make("rpi5"));

  it("has its device trees, a kernel, and an initramfs with the drivers of its card's socket", () => {
    const card = bench.card("new");
    const files = card.bootFiles();
    expect(files).to.include.members(TREES);
    for (const tree of TREES) expect(card.bootFile(tree).includes("\0GPIO4\0GPIO5\0"), tree).to.equal(true);
    const config = card.bootFile("config.txt").toString();
    const [, kernel = ""] = /^kernel=(\S+)$/m.exec(config) ?? [];
    const [, initramfs = ""] = /^initramfs (\S+)$/m.exec(config) ?? [];
    expect(files, config).to.include.members([kernel, initramfs]);
    // The firmware starts no compressed image of EFI's: at 56 bytes a plain one has these letters.
    expect(card.bootFile(kernel).toString("latin1", 56, 60)).to.equal("ARMd");
    // Drivers stand unpacked, each with its name, before the rest.
    const drivers = card.bootFile(initramfs);
    for (const driver of EARLY) expect(drivers.includes(`/${driver}.ko`), driver).to.equal(true);
    expect(card.bootFile("cmdline.txt").toString()).to.contain("console=ttyAMA10,115200");
  });

  it("runs its kernel, has the drivers of its header and network, and records a sale", async () => {
    const card = bench.card("first");
    card.preset(`address = ${ADDRESS}/24\nemail = ${EMAIL}\nssh_key = ${bench.technician.publicKey}\n`);
    const gateway = await bench.switchOn(card, ADDRESS);
    const [, token = ""] = await gateway.shows(/\/primer-uso#([\w-]+)/);
    const browser = new Browser(gateway.ports, ADDRESS);
    await browser.trust();
    await browser.makeFirstUser(token);
    await browser.wireLine(LINE, 4.5);
    await gateway.drive("high");
    await until("the sale is in the ledger", async () => (await browser.records()).length === 1, ANSWER_MS);

    const { ports } = gateway;
    const run = (command: string) => bench.technician.run(ports.ssh, command);
    expect(card.bootFiles()).to.include(`vmlinuz-${await run("uname -r")}`);
    expect(await run(`modinfo --field filename ${DRIVERS.join(" ")}`)).to.match(/^(\/\S+\.ko\.xz\n?){6}$/);
    expect(await run("cat /etc/apt/sources.list.d/backports.list")).to.contain("trixie-backports main");
    expect(await run("systemctl --failed --no-legend --plain")).to.equal("");
  });
});
