import { NOON_MS } from "../rig/appliance.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";

/** A record as a device posts it, with what a test wants otherwise. */
export function aRecord(otherwise: Readonly<Record<string, unknown>> = {}) {
  return {
    locationName: "Clínica Norte",
    deviceName: "Pasillo A",
    deviceId: "7234",
    habitacion: "101",
    valor: 2.5,
    createdTime: NOON_MS - 1_000,
    ...otherwise,
  };
}

/** The body of a registration, with what a test wants otherwise. */
export function aDevice(otherwise: Readonly<Record<string, unknown>> = {}) {
  return {
    newDevice: {
      dId: "7234",
      name: "Pasillo A",
      locationId: "planta-1",
      locationName: "Clínica Norte",
      actuators: [
        { id: "101", value: false },
        { id: "102", value: true },
      ],
      ...otherwise,
    },
  };
}

/** So many different actuators. */
export function actuators(count: number): { id: string; value: boolean }[] {
  return Array.from({ length: count }, (_, index) => ({ id: String(index), value: false }));
}

/** The body of a new location, with what a test wants otherwise. */
export function aLocation(otherwise: Readonly<Record<string, unknown>> = {}) {
  return { location: { name: "Clínica Norte", description: "Dos plantas", ...otherwise } };
}

/** The body that wires a line, with what a test wants otherwise. */
export function aWiring(otherwise: Readonly<Record<string, unknown>> = {}) {
  return {
    wiring: {
      line: "SIM0",
      dId: "7234",
      actuatorId: "101",
      valor: 4.5,
      activeLow: false,
      bias: "pull-down",
      debounceMs: 20,
      rearmMs: 0,
      ...otherwise,
    },
  };
}

export const PNG = "89504e470d0a1a0a";
export const JPEG = "ffd8ff";

/** A file of that many bytes that begins so. */
export function logoOf(type: string, beginning: string, bytes = 32): string {
  const content = Buffer.alloc(bytes);
  content.write(beginning, "hex");
  return `data:image/${type};base64,${content.toString("base64")}`;
}

export const LETTERHEAD = {
  company: "Servicios del Norte, S. L.",
  taxNumber: "B-12345674",
  address: "Calle Mayor, 1, Madrid",
  logo: logoOf("png", PNG),
};

/** A body that fits, of every operation that takes one. */
export const BODIES: Readonly<Record<string, object>> = {
  "post /api/login": { email: "nadie@example.org", password: "otra clave larga" },
  "post /api/first-run": { token: "x", name: "x", email: "x@example.org", password: PASSWORD },
  "post /api/link": { token: "x", password: PASSWORD },
  "patch /api/me": { me: { name: "x" } },
  "put /api/me/password": { current: "otra clave larga", password: PASSWORD },
  // The first user of every appliance has this e-mail.
  "post /api/member": { member: { name: "x", email: "usuario1@example.org", role: "staff" } },
  "post /api/member/link": { memberId: "0".repeat(24) },
  "post /api/member/sign-out": { memberId: "0".repeat(24) },
  "patch /api/member": { member: { name: "x", role: "staff" } },
  "post /api/device": aDevice(),
  "patch /api/device": { device: { name: "Pasillo Z", locationId: "x" } },
  "post /api/location": aLocation(),
  "patch /api/location": { location: { name: "Norte", description: "x" } },
  "post /api/data": aRecord(),
  "post /api/record/void": { void: { number: 1, reason: "Prueba" } },
  "post /api/record/sale": {
    sale: { dId: "7234", room: "101", time: NOON_MS - 1_000, valor: 5, reason: "Prueba" },
  },
  "post /api/record/refund": { refund: { number: 1, valor: 1, reason: "Prueba" } },
  "put /api/terms": { terms: { locationId: "0".repeat(24), from: "2026-01", kind: "share", share: 25 } },
  "post /api/settlement": { settlement: { month: "2026-01", counted: [{ location: "Norte", valor: 1 }] } },
  "put /api/letterhead": { letterhead: { company: "x", taxNumber: "x", address: "x", logo: "" } },
  "put /api/wiring": aWiring(),
  "put /api/wiring/price": { price: { lines: ["SIM0"], valor: 5 } },
  "post /api/room/paid-time": {
    move: { from: { dId: "7234", room: "101" }, to: { dId: "7234", room: "102" } },
  },
  "put /api/commission": { commission: { lines: ["SIM0"], minutes: 30 } },
  "put /api/commission/room": { room: { dId: "7234", room: "101" } },
  "put /api/commission/tick": { tick: { dId: "7234", room: "101", note: "" } },
  "post /api/commission/mend": { room: { dId: "7234", room: "101" } },
  "post /api/commission/report": { report: { technician: "Luis", clinic: "Ana" } },
  "put /api/sink": {
    name: "notice",
    values: { notice_language: "es", notice_quiet_hours: "", notice_silent_days: 3, notice_summaries: [] },
  },
  "post /api/sink/test": { name: "email" },
  "post /api/line/drive": { line: "SIM0", level: true },
};

/** Every operation that takes a body, with one that fits. */
export const JSON_BODIES = Object.entries(BODIES).map(([operation, body]) => {
  const [method, path = ""] = operation.split(" ");
  return { operation, method: method as "post" | "put" | "patch", path, body };
});

/** The body of an error. Endpoints of data have its text in `message`. */
export function anError(text: string, textField = "error") {
  return { status: "error", [textField]: text };
}

/** The body of an error that names one field of what was sent. */
export function aMistake(field: string, kind: string, message: string, textField = "error") {
  return { ...anError(`${field}: ${message}.`, textField), errors: { [field]: { kind, message } } };
}

/** What is asked of the paths that need more than their name, or have more. */
export const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/overview": { period: "week" },
  "/api/record/sum": { from: "2026-03-11", room: "101" },
  "/api/record": { from: "2026-03-11", location: "Clínica Norte" },
  "/api/export": { lang: "es" },
  "/api/report/days": { month: "2026-03", lang: "es" },
  "/api/report": { month: "2026-03", location: "Clínica Norte" },
};

/** What no error may show a client: a stack, a path of the machine, SQL. */
export const INSIDE = /\bat \S+ \(|node_modules|\.ts\b|\/(home|work|tmp|var|usr)\/|sqlite|SELECT |INSERT /i;
