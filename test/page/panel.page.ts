import { expect } from "chai";
import type { Page } from "playwright-core";
import { DAY_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { fault, toldFault } from "../../src/domain/fault.ts";
import type { Overview, Status } from "../../src/web/api/shapes.ts";
import { OpenedService, suiteService } from "./opened.ts";
import { expectPanel, formatOf, plain } from "./panel-figures.ts";

const SALES = [
  { daysAgo: 0, valor: 3.5, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 0, valor: 0.1, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 1, valor: 0.2, deviceId: "d1", locationName: "Clínica Norte" },
  { daysAgo: 3, valor: 1234.56, deviceId: "d2", locationName: "Clínica Sur" },
  { daysAgo: 5, valor: 5.5, deviceId: "d2", locationName: "Clínica Sur" },
  { daysAgo: 9, valor: 1_000, deviceId: "d2", locationName: "Clínica Sur" },
] as const;

interface Sale {
  /** Of 24 hours: an hour more or less by the clock where that was changed meanwhile. */
  readonly daysAgo: number;
  readonly valor: number;
  readonly deviceId: string;
  readonly deviceName?: string;
  readonly locationName: string;
}

describe("The panel", () => {
  const opened = suiteService({}, async (opened) => {
    for (const sale of SALES) await sell(opened, sale);
  });

  it("tells what is chosen and what is on where the system sets all colours", async () => {
    const { page } = await opened.open("/");
    await page.emulateMedia({ forcedColors: "active" });
    const groundOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).backgroundColor`);
    await page.locator(".location-sums").waitFor();
    expect(await groundOf(".segment :checked + span")).not.to.equal(
      await groundOf(".segment :not(:checked) + span"),
    );
    expect(await groundOf(".nav-link[aria-current]")).not.to.equal(
      await groundOf(".nav-link:not([aria-current])"),
    );
    expect(await groundOf(".location-bar")).not.to.equal(await groundOf(".location-sums"));
  });

  it("draws no bar over an amount, however little room there is", async () => {
    const { page } = await opened.open("/?period=year", { width: 320 });
    await page.locator(".chart-picture text").first().waitFor({ state: "attached" });
    const drawn = await page
      .locator(".chart-picture :is(rect, text)")
      .evaluateAll((all) => all.map(({ tagName }) => tagName));
    expect(drawn.lastIndexOf("rect")).to.be.below(drawn.indexOf("text"));
  });

  it("shows on a phone the amount of one bar alone where others would stand on each other", async () => {
    const { page } = await opened.open("/", { width: 320 });
    const amounts = page.locator(".chart-picture text");
    await amounts.first().waitFor({ state: "attached" });
    expect(await amounts.allTextContents()).to.include("1.235\u00a0€");
    expect(await amounts.and(page.locator(":visible")).count()).to.equal(1);
  });

  it("says of rooms that could not be read that they were not, and nothing of rooms where there are none", async () => {
    const { page } = await opened.open("about:blank");
    await page.route("**/api/device", (route) => route.abort());
    await page.goto("/");
    await page.locator(".now").getByText("No se han podido leer estos datos.").waitFor();
    await page.unroute("**/api/device");
    await page.reload();
    await page.getByText("Su primer dispositivo").waitFor();
    expect(await page.locator(".now").count()).to.equal(0);
  });

  describe("of a gateway with faults", () => {
    let owner: string;
    let staff: string;

    before(async () => {
      owner = opened.cookie;
      staff = await opened.addMember("Recepción", "staff");
    });

    /** The panel with these faults, as the member of a session sees it. */
    async function seenBy(cookie: string, faults: Status["faults"]): Promise<Page> {
      opened.cookie = cookie;
      const { page } = await opened.open("about:blank");
      opened.cookie = owner;
      const data = { ...(await opened.get<Status>("/api/status")), faults };
      await page.route("**/api/status", (route) => route.fulfill({ json: { status: "success", data } }));
      await page.goto("/");
      await page.locator(".figures").waitFor();
      return page;
    }

    it("shows them all to a role that has no other view for them, and to others the way to that view", async () => {
      const low = toldFault(fault("disk_low", Date.now(), { freeBytes: 1, totalBytes: 2 }), "UTC");
      for (const [cookie, notices, ways] of [
        [owner, 2, 1],
        [staff, 3, 0],
      ] as const) {
        const page = await seenBy(cookie, [low, low, low]);
        await page.locator(".notice").first().waitFor();
        expect(await page.locator(".notice").count()).to.equal(notices);
        expect(await page.getByRole("link", { name: "Ver 1 aviso más" }).count()).to.equal(ways);
      }
    });

    it("warns of a slow disk, which loses nothing, those alone who can see to it", async () => {
      const slow = toldFault(fault("disk_slow", Date.now(), { syncMs: 300 }), "UTC");
      for (const [cookie, warnings] of [
        [owner, 1],
        [staff, 0],
      ] as const) {
        const page = await seenBy(cookie, [slow]);
        expect(await page.locator(".notice").count()).to.equal(warnings);
        expect(await page.locator(".notice.is-warn").count()).to.equal(warnings);
      }
    });
  });

  it("shows of very many rooms those alone that are on", async () => {
    const { page } = await opened.open("about:blank");
    const status = await opened.get<Status>("/api/status");
    let count = 100;
    const rooms = () => Array.from({ length: count }, (_, index) => String(index + 1));
    await page.route("**/api/device", (route) => {
      const actuators = rooms().map((id) => ({ id, value: id.length === 1 }));
      return route.fulfill({
        json: {
          status: "success",
          data: [{ _id: "1", dId: "1", name: "Torre", locationId: "", locationName: "Torre", actuators }],
        },
      });
    });
    await page.route("**/api/status", (route) => {
      const lastEdges = rooms().map((room) => ({ deviceId: "1", room }));
      return route.fulfill({ json: { status: "success", data: { ...status, lastEdges } } });
    });
    await page.goto("/");
    await page.getByText("encendidas de 100").waitFor();
    expect(await page.locator(".now-room").count()).to.equal(100);
    count = 101;
    await page.reload();
    await page.getByText("encendidas de 101").waitFor();
    expect(await page.locator(".now-room").allInnerTexts()).to.deep.equal([..."123456789"]);
  });

  it("holds every part to the location, names it in the title, and leads to earlier periods", async () => {
    const { page } = await opened.open("/?location=Cl%C3%ADnica+Sur");
    await page.getByRole("heading", { level: 1, name: "Panel: Clínica Sur" }).waitFor();
    await page.locator(".latest-sale").first().waitFor();
    const places = await page.locator(".latest-location").allInnerTexts();
    expect(new Set(places)).to.deep.equal(new Set(["Pasillo A · Clínica Sur"]));
    await page.getByRole("button", { name: "Los 7 días anteriores" }).click();
    await page.waitForURL(/at=\d{4}-\d{2}-\d{2}/);
    await page.locator(".chart-steps b").getByText("1.000,00").waitFor();
    await page.getByRole("button", { name: "Los 7 días siguientes" }).click();
    await page.waitForURL((url) => !url.search.includes("at="));
  });

  it("leads to any day, once its year is whole, and from there back to today", async () => {
    const { page } = await opened.open("/?period=month");
    const day = page.getByLabel("Ir a un día");
    await day.fill("0002-05-17");
    await day.fill("2024-05-17");
    await page.waitForURL(/at=2024-05-17$/);
    await page.locator(".chart-steps").getByText("mayo de 2024").waitFor();
    expect(await day.inputValue()).to.equal("2024-05-31");
    await day.fill((await day.getAttribute("max")) ?? "");
    await page.waitForURL((url) => !url.search.includes("at="));
  });

  for (const [what, view, path] of [
    ["the figures of today", "/", "/api/overview"],
    ["the report of a month", "/informe", "/api/report"],
    ["the prices of the lines", "/lineas", "/api/wiring"],
    ["the prices that are planned", "/precios", "/api/wiring/price"],
  ] as const) {
    it(`asks for ${what} again once the day is over, though nothing is sold`, async () => {
      const { page } = await opened.open(view);
      await page.clock.install();
      const isAsked = (path: string) =>
        page.waitForRequest((request) => new URL(request.url()).pathname === path);
      // Where the stream of events begins late, it lets the page ask anew.
      await page.route("**/api/event", (route) => route.abort());
      const shown = isAsked(path);
      await page.reload();
      await shown;
      await page.route("**/api/status", async (route) => {
        const { clock, ...status } = await opened.get<Status>("/api/status");
        const data = { ...status, clock: { ...clock, nowMs: clock.nowMs + DAY_MS } };
        await route.fulfill({ json: { status: "success", data } });
      });
      const askedAgain = isAsked(path);
      // The page asks for the status each minute.
      await page.clock.fastForward(MINUTE_MS);
      await askedAgain;
    });
  }

  it("gives every bar's exact values to the keyboard", async () => {
    const { page } = await opened.open("/");
    const format = formatOf("es");
    const { chart } = await overview("week");
    const chosen = page.locator(".chart-bar[tabindex='0']");
    await chosen.focus();
    await page.keyboard.press("Home");
    for (const entry of chart) {
      const said = plain((await page.locator(".chart-chosen").innerText()).replaceAll("\n", " "));
      expect(said).to.contain(plain(format.money(entry.revenue)));
      await page.locator(".chart-bar-chosen:focus").waitFor({ state: "attached" });
      expect(plain((await chosen.getAttribute("aria-label")) ?? "")).to.contain(
        plain(format.money(entry.revenue)),
      );
      await page.keyboard.press("ArrowRight");
    }
  });

  it("gives the chart as a table too, which sums up", async () => {
    const { page } = await opened.open("/");
    const format = formatOf("es");
    const { chart, revenue, before } = await overview("week");
    await page.getByRole("button", { name: "Ver tabla" }).click();
    // In the report's order, each named for what it is.
    const titles = await page.locator(".chart-panel thead th").allInnerTexts();
    const days = [before.from, before.to].map((day) => format.dayName(day, "short"));
    expect(titles).to.deep.equal(["Día", "Ventas", "Ingresos", `Del ${days.join(" al ")}, a esta hora`]);
    const cells = await page.locator(".chart-panel tbody tr td:nth-child(3)").allInnerTexts();
    expect(cells.map(plain)).to.deep.equal(chart.map((entry) => plain(format.money(entry.revenue))));
    const foot = await page.locator(".chart-panel tfoot td").allInnerTexts();
    expect(foot.slice(1).map(plain)).to.deep.equal(
      [revenue, before.revenue].map((amount) => plain(format.money(amount))),
    );
  });

  it("grows with a sale while it is open", async () => {
    const { page } = await opened.open("/");
    const before = await overview("week");
    await figure(page, 0).waitFor();
    await sell(opened, SALES[0]);
    const format = formatOf("es");
    const after = await overview("week");
    expect(after.sales).to.equal(before.sales + 1);
    for (const [index, { revenue }] of after.spans.entries()) {
      await figure(page, index).getByText(format.money(revenue)).waitFor();
    }
    await expectPanel(page, after, format);
  });

  it("names a chosen device that is gone, whenever it has sold, and gives the id of one without a name", async () => {
    const sale = { valor: 1, deviceId: "d3", deviceName: "Pasillo C", locationName: "Clínica Norte" };
    await sell(opened, { ...sale, daysAgo: 40 });
    expect(await chosenDevice("/?device=d3", "Pasillo C (ya no existe)")).to.equal("d3");
    const other = "/?location=Cl%C3%ADnica+Sur&device=d3";
    expect(await chosenDevice(other, "Pasillo C (ya no existe)")).to.equal("d3");
    expect(await chosenDevice("/?device=7234", "Dispositivo que ya no existe (7234)")).to.equal("7234");
    for (const [path, title] of [
      ["/?device=d3", "Panel: Pasillo C (ya no existe)"],
      ["/?device=7234", "Panel: Dispositivo que ya no existe (7234)"],
    ] as const) {
      const { page } = await opened.open(path);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    }
  });

  it("speaks kindly of a period without a sale", async () => {
    const empty = await new OpenedService().start();
    const { page } = await empty.open("/");
    await page.getByText("Sin ventas en este período").waitFor();
    await page.getByText("Todavía no hay ninguna venta.").waitFor();
    await page.getByRole("link", { name: "Empezar" }).click();
    await page.getByRole("heading", { level: 1, name: "Primeros pasos" }).waitFor();
    await empty.close();
  });

  function overview(period: "week" | "year", filter = ""): Promise<Overview> {
    return opened.get(`/api/overview?period=${period}${filter}`);
  }

  /** The device that is chosen at an address, once it reads so. */
  async function chosenDevice(path: string, text: string): Promise<string> {
    const { page } = await opened.open(path);
    const devices = page.getByLabel("Dispositivo", { exact: true });
    await devices.getByRole("option", { name: text, exact: true }).waitFor({ state: "attached" });
    return devices.inputValue();
  }
});

function figure(page: Page, index: number) {
  return page.locator(".figure").nth(index);
}

async function sell(opened: OpenedService, { daysAgo, ...sale }: Sale): Promise<void> {
  await opened.send("POST", "/api/data", {
    deviceName: "Pasillo A",
    ...sale,
    habitacion: "101",
    createdTime: Date.now() - daysAgo * DAY_MS,
  });
}
