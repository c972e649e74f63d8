import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import type { Device, Location } from "../../src/web/api/shapes.ts";
import { aDevice } from "../http/bodies.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { type OpenedService, suiteService } from "./opened.ts";
import { formatOf } from "./panel-figures.ts";

/** From the edge to the lit tile, as the project promises. */
const LIMIT_MS = 300;
const EDGES = 9;
const ROOMS = ["101", "102"] as const;

describe("The rooms, live", () => {
  const opened = suiteService({}, async (opened) => {
    await addRooms(opened);
  });
  beforeEach(async () => {
    await opened.drive("SIM0", false);
    await opened.drive("SIM1", false);
  });

  // By this name .ci/run lets it run before all others, with the machine to itself.
  it(`change within ${LIMIT_MS} ms of the edge`, async () => {
    const { page } = await opened.open("/habitaciones");
    await live(page);
    const times = await edgeTimes(page, EDGES);
    const [median = Number.POSITIVE_INFINITY] = times.toSorted((a, b) => a - b).slice(EDGES >> 1);
    console.log(
      `      edge to tile: median ${median.toFixed(0)} ms of ${times.map((ms) => ms.toFixed(0)).join(" ")}`,
    );
    expect(median).to.be.lessThan(LIMIT_MS);
  });

  it("tell since when they are on, and what they sold today", async () => {
    const { page } = await opened.open("/habitaciones");
    const tile = page.locator(".tile").nth(1);
    await tile.getByText("Apagada").waitFor();
    await opened.drive("SIM1", true);
    await tile.getByText("Encendida").waitFor();
    await tile.getByText("Hoy 1 venta").waitFor();
    await tile.getByText("4,00").waitFor();
    expect(await tile.getByText(/desde \d\d:\d\d/).count()).to.equal(1);
  });

  it("are announced to people who cannot see them", async () => {
    const { page } = await opened.open("/habitaciones");
    await live(page);
    await opened.drive("SIM0", true);
    await page.locator("[aria-live=polite]").getByText("Venta: habitación 101").waitFor();
  });

  it("stay as they were, and say that they are not live, where the stream of events is cut", async () => {
    const { page, context } = await opened.open("/estado");
    await context.route("**/api/event", (route) => route.abort());
    await page.goto("/habitaciones");
    await page.getByText("Sin conexión en directo.").waitFor();
    const tile = page.locator(".tile").first();
    await tile.getByText("Apagada").waitFor();
    await opened.drive("SIM0", true);
    await until("the API says that the room is on", async () => {
      const [device] = await opened.get<readonly Device[]>("/api/device");
      return device?.actuators[0]?.value;
    });
    expect(await tile.getByText("Apagada").count()).to.equal(1);
    await context.unroute("**/api/event");
    await tile.getByText("Encendida").waitFor();
  });

  it("say that they are not live where the gateway answers no more and no connection breaks, and what was asked for can be asked again", async () => {
    await opened.drive("SIM0", true);
    const { page, context } = await opened.open("about:blank");
    await page.clock.install();
    await page.goto("/habitaciones");
    await live(page);
    // As where its cable is pulled: nothing tells the browser.
    await context.route("**/api/**", () => {});
    await page.clock.fastForward(MINUTE_MS);
    await page.getByRole("link", { name: "Registros" }).click();
    await page.getByText("Buscando…").waitFor();
    await page.clock.fastForward(MINUTE_MS / 2);
    await page.getByText("Sin conexión en directo.").waitFor();
    await context.unroute("**/api/**");
    await page.getByRole("button", { name: "Reintentar" }).click();
    await page.locator(".record").first().waitFor();
  });

  describe("where the stream dies in silence", () => {
    const line = forEachTest(() => Line.to(opened.appliance.httpPort));

    async function openRooms(): Promise<Page> {
      const { page } = await opened.open("about:blank");
      await page.clock.install();
      await page.goto(`http://localhost:${line.port}/habitaciones`);
      await live(page);
      return page;
    }

    it("say after 35 s that they are not live, and are again once they can be", async () => {
      const page = await openRooms();
      line.cutStreams();
      line.isClosed = true;
      await opened.drive("SIM0", true);
      await page.clock.runFor(36_000);
      await page.getByText("Sin conexión en directo.").waitFor();
      line.isClosed = false;
      await page.clock.runFor(36_000);
      await page.locator(".tile").first().getByText("Encendida").waitFor();
      await live(page);
    });

    it("say when the last news came, not when its lack was seen", async () => {
      const page = await openRooms();
      const pageMs = async () => Number(await page.evaluate("Date.now()"));
      // A stream beats every 15 s: its last event is no older.
      const heardMs = [(await pageMs()) - 15_000, await pageMs()];
      line.cutStreams();
      heardMs.push(await pageMs());
      line.isClosed = true;
      await page.clock.fastForward(10 * MINUTE_MS);
      // With its day, once that is over.
      const nowMs = await pageMs();
      const { moment } = formatOf("es");
      const moments = heardMs.flatMap((ms) => [moment(ms, nowMs), moment(ms, nowMs + MINUTE_MS)]);
      await page.getByText(new RegExp(`Última noticia: (${moments.join("|")})\\.`)).waitFor();
    });

    for (const event of ["resume", "visibilitychange"]) {
      it(`take another at once when the page is used again (${event}), and say nothing of a loss`, async () => {
        const page = await openRooms();
        line.cutStreams();
        await opened.drive("SIM0", true);
        await page.evaluate(`document.dispatchEvent(new Event("${event}"))`);
        await page.clock.runFor(1_000);
        await page.locator(".tile").first().getByText("Encendida").waitFor();
        expect(await page.getByText("Sin conexión").count()).to.equal(0);
      });
    }

    it("take another once an answer is newer than the stream by 2 s", async () => {
      const page = await openRooms();
      line.cutStreams();
      await opened.drive("SIM0", true);
      const { streams } = line;
      await page.getByRole("link", { name: "Registros" }).click();
      await page.locator(".record").first().waitFor();
      await page.clock.runFor(2_500);
      await page.getByRole("link", { name: "Habitaciones" }).first().click();
      await live(page);
      expect(line.streams).to.be.greaterThan(streams);
    });
  });

  it("that have no line are told from those that are off, are listed, and lead to the lines", async () => {
    const [location] = await opened.get<readonly Location[]>("/api/location");
    const actuators = [{ id: "901", value: false }];
    await opened.send("POST", "/api/device", aDevice({ dId: "9000", locationId: location?._id, actuators }));
    const { page } = await opened.open("/habitaciones", { width: 320 });
    await page.getByRole("radio", { name: "Sin línea (1)" }).check();
    const tile = page.locator(".tile");
    await tile.filter({ hasText: "901" }).getByText("No se puede registrar ninguna venta").waitFor();
    expect(await tile.count()).to.equal(1);
    expect(await tile.getByText("Apagada").count()).to.equal(0);
    await page.getByRole("link", { name: "Conectar la habitación 901" }).click();
    await page.getByRole("heading", { level: 1, name: "Líneas" }).waitFor();
  });

  it("are dimmed while there is no connection, with the time of the last news, said once", async () => {
    const { page, context } = await opened.open("/habitaciones");
    await live(page);
    await context.setOffline(true);
    await page.getByText(/Última noticia: \d\d:\d\d\./).waitFor();
    expect(await page.getByText("Sin conexión").count()).to.equal(1);
    await page.locator(".tiles-stale").first().waitFor();
    await context.setOffline(false);
    await page.locator(".tiles-stale").first().waitFor({ state: "detached" });
  });
});

/** A network on the way to a service that speaks HTTP, whose streams of events can be cut without a word to either end. */
class Line {
  /** While true it lets nothing through on connections that are made. */
  isClosed = false;
  /** How many streams were asked for. */
  streams = 0;
  readonly #sockets = new Set<Socket>();
  readonly #cut = new Set<Socket>();
  #streaming: Socket[] = [];
  readonly #server = createServer((near) => this.#carry(near));
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
  }

  static async to(target: number): Promise<Line> {
    const line = new Line(target);
    line.#server.listen(0, "127.0.0.1");
    await once(line.#server, "listening");
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cutStreams(): void {
    for (const socket of this.#streaming) this.#cut.add(socket);
    this.#streaming = [];
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(near: Socket): void {
    const far = connect(this.#target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => other.destroy());
    }
    near.on("data", (chunk: Buffer) => {
      if (this.isClosed) this.#cut.add(near);
      if (chunk.includes("GET /api/event ")) {
        this.streams += 1;
        this.#streaming.push(near);
      }
      if (!this.#cut.has(near)) far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (!this.#cut.has(near)) near.write(chunk);
    });
  }
}

async function live(page: Page): Promise<void> {
  await page.locator(".tag-live").waitFor({ state: "attached" });
  await page.locator(".tile").first().waitFor();
}

/** Drives the first room's line from the page itself, and measures by its clock until the tile has changed. */
function edgeTimes(page: Page, count: number): Promise<number[]> {
  return page.evaluate<number[]>(`(async () => {
    const tile = document.querySelector(".tile");
    const times = [];
    for (let edge = 0; edge < ${count}; edge += 1) {
      const level = edge % 2 === 0;
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (tile.classList.contains("tile-on") !== level) return;
          observer.disconnect();
          resolve(performance.now());
        });
        observer.observe(tile, { attributes: true });
      });
      const began = performance.now();
      await fetch("/api/line/drive", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ line: "SIM0", level }),
      });
      times.push((await changed) - began);
    }
    return times;
  })()`);
}

async function addRooms(opened: OpenedService): Promise<void> {
  await opened.send("POST", "/api/location", { location: { name: "Clínica Norte", description: "" } });
  const [location] = await opened.get<readonly Location[]>("/api/location");
  const actuators = ROOMS.map((id) => ({ id, value: false }));
  await opened.send("POST", "/api/device", aDevice({ locationId: location?._id, actuators }));

  for (const [index, actuatorId] of ROOMS.entries()) {
    await opened.send("PUT", "/api/wiring", {
      wiring: { line: `SIM${index}`, dId: "7234", actuatorId, valor: 4 },
    });
  }
}
