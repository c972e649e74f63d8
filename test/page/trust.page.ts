import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { expect } from "chai";
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, chromiumProgram } from "../../scripts/chromium.ts";
import { installFor } from "../../scripts/debian.ts";
import { readKeyed } from "../../src/net/tls/keyed-certificate.ts";
import { ownFiles } from "../../src/net/tls/own-certificate.ts";
import { networkAddress } from "../net/tls/network.ts";
import { OpenSsl } from "../net/tls/openssl.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { LANGUAGES, type Language, WIDTHS } from "./opened.ts";

const CERTUTIL = "/usr/bin/certutil";
const TITLES = { es: "Confíe en este equipo", en: "Trust this appliance" } as const;

/** A name that the appliance is known by in the clinic, which its certificate therefore has. */
const NAME = "gateway.test";

/**
 * A browser as a person has it: it checks certificates, and trusts the authorities of a home directory's database. In its
 * network these names lead to these addresses.
 */
async function launch(home: string, names: Readonly<Record<string, string>>): Promise<Browser> {
  const rules = Object.entries(names).map(([name, address]) => `MAP ${name} ${address}`);
  return chromium.launch({
    executablePath: chromiumProgram(),
    env: { ...process.env, HOME: home } as Record<string, string>,
    args: [`--host-resolver-rules=${rules.join(", ")}`, ...CHROMIUM_ARGUMENTS],
  });
}

describe("The page that explains how to trust the appliance", () => {
  let appliance: Program;
  let service: RunningService;
  let home: string;
  let distrusting: Browser;
  let trusting: Browser;
  let plain: string;

  before(async () => {
    installFor("chromium that trusts");
    appliance = await Program.make({ FLANCO_HOST: "", FLANCO_HOST_NAMES: NAME });
    service = await appliance.start();
    plain = `http://${NAME}:${appliance.httpPort}`;
    const names = { [NAME]: networkAddress() };
    home = mkdtempSync(join(tmpdir(), "flanco-home-"));
    distrusting = await launch(join(home, "distrusting"), names);
    const trustingHome = join(home, "trusting");
    await installAuthority(trustingHome);
    trusting = await launch(trustingHome, names);
  });
  after(async () => {
    await distrusting.close();
    await trusting.close();
    await appliance.close();
    rmSync(home, { recursive: true, force: true });
  });

  afterEach(() =>
    Promise.all(
      [distrusting, trusting].flatMap((browser) => browser.contexts()).map((context) => context.close()),
    ),
  );

  /** Does what the page says: takes the certificate that it offers, and puts it among the trusted authorities. */
  async function installAuthority(at: string): Promise<void> {
    const answer = await fetch(`http://${networkAddress()}:${appliance.httpPort}/flanco-ca.crt`);
    const file = join(home, "flanco-ca.crt");
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    const database = join(at, ".pki", "nssdb");
    mkdirSync(database, { recursive: true });
    const certutil = (...args: string[]) => execFileSync(CERTUTIL, ["-d", `sql:${database}`, ...args]);
    certutil("-N", "--empty-password");
    certutil("-A", "-t", "C,,", "-n", "flanco", "-i", file);
  }

  async function open(browser: Browser, language: Language, width: number, colorScheme: "light" | "dark") {
    const context = await browser.newContext({
      locale: language === "es" ? "es-ES" : "en-GB",
      viewport: { width, height: 900 },
      colorScheme,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
    });
    return { page, complaints };
  }

  for (const language of LANGUAGES) {
    for (const width of WIDTHS) {
      for (const colorScheme of ["light", "dark"] as const) {
        it(`is for everybody: ${language}, ${width} px, ${colorScheme}`, async () => {
          const { page, complaints } = await open(distrusting, language, width, colorScheme);
          await page.goto(`${plain}/`);
          await page.getByRole("heading", { level: 1, name: TITLES[language] }).waitFor();
          for (const details of await page.locator("details").all()) {
            await details.locator("summary").click();
          }
          const overflow = await page.evaluate<number>(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          );
          expect(overflow, "nothing sticks out").to.equal(0);
          // The page's policy takes no script of a test's: the debugger's own way in goes around it.
          const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).to.deep.equal([]);
          expect(complaints).to.deep.equal([]);
        });
      }
    }
  }

  it("is the first of an invitation's two steps, which lead another device in, also where the owner is on the gateway itself", async () => {
    const cookie = await service.makeFirstUser();
    const context = await distrusting.newContext({ locale: "es-ES", viewport: { width: 360, height: 740 } });
    const [name = "", value = ""] = cookie.split(/=(.*)/);
    const local = `http://localhost:${appliance.httpPort}`;
    await context.addCookies([
      { name, value, url: local, secure: true, httpOnly: true },
      { name: "flanco_visitor", value: "1", url: local, secure: true },
    ]);
    const owner = await context.newPage();
    await owner.goto(`${local}/personas`);
    await owner.getByRole("button", { name: "Invitar" }).first().click();
    const dialog = owner.getByRole("dialog");
    await dialog.getByLabel("Nombre").fill("Eva");
    await dialog.getByLabel("Correo electrónico").fill("eva@example.org");
    await dialog.getByRole("button", { name: "Invitar" }).click();
    await dialog.getByRole("heading", { name: "1. Primero, una vez: confiar" }).waitFor();
    expect(await dialog.getByRole("img").count()).to.equal(2);
    const [trust = "", link = ""] = await dialog.locator("code").allInnerTexts();
    for (const address of [trust, link]) expect(new URL(address).hostname).not.to.match(/^(localhost|127\.)/);
    expect(trust).not.to.contain(new URL(link).hash);

    const { page: before } = await open(distrusting, "es", 360, "light");
    await before.goto(trust);
    await before.getByRole("heading", { name: TITLES.es }).waitFor();
    const { page: after } = await open(trusting, "es", 360, "light");
    // The test's machine has no private address; the certificate has this name.
    await after.goto(link.replace(new URL(link).hostname, NAME));
    await after.getByRole("heading", { name: "Elija su contraseña" }).waitFor();
  });

  it("stays, and says nothing of trust, in a browser that does not trust yet", async () => {
    const { page } = await open(distrusting, "es", 1440, "light");
    const probed = page.waitForEvent("requestfailed");
    await page.goto(`${plain}/`);
    expect((await probed).failure()?.errorText).to.match(/ERR_CERT/);
    expect(await page.locator("#trusted").isVisible()).to.equal(false);
    expect(page.url()).to.equal(`${plain}/`);
  });

  it("opens the way to the appliance: a browser that was told so trusts it, by name and by address", async () => {
    const { page } = await open(trusting, "es", 1440, "light");
    for (const host of [NAME, "localhost", "127.0.0.1", "[::1]"]) {
      const answer = await page.goto(`https://${host}:${appliance.httpsPort}/healthz`);
      expect(answer?.status(), host).to.equal(200);
    }
    // The control: the same browser, not told.
    const { page: warned } = await open(distrusting, "es", 1440, "light");
    const failed = await warned.goto(`https://localhost:${appliance.httpsPort}/healthz`).then(
      () => "",
      (error) => String(error),
    );
    expect(failed).to.contain("ERR_CERT_AUTHORITY_INVALID");
  });

  it("opens no other way: that browser refuses what the stolen key of the authority signs for others", async () => {
    const signer = readKeyed(ownFiles(join(appliance.dataDir, "tls")).authority);
    if (signer === undefined) throw new Error("There is no authority.");
    const openssl = new OpenSsl();
    const errorFor = async (name: string): Promise<string> => {
      const made = openssl.make({ extensions: [`subjectAltName=DNS:${name}`], signer });
      const server = createServer(made, (_request, response) => response.end("stolen"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const browser = await launch(join(home, "trusting"), { [name]: "127.0.0.1" });
      const page = await browser.newPage();
      const error = await page.goto(`https://${name}:${port}/`).then(
        () => "",
        (reason) => String(reason),
      );
      await browser.close();
      server.close();
      return error;
    };
    expect(await errorFor("example.org")).to.match(/ERR_CERT_(AUTHORITY_)?INVALID/);
    // The control: a name of the host's own.
    expect(await errorFor(NAME)).to.equal("");
    openssl.close();
  });

  it("goes on to HTTPS by itself in a browser that trusts already", async () => {
    const { page } = await open(trusting, "es", 1440, "light");
    await page.goto(`${plain}/`);
    await page.waitForURL(`https://${NAME}:${appliance.httpsPort}/`);
  });
});
