import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import { toGatewayName } from "../domain/gateway.ts";

/** The type of service by which gateways find each other (RFC 6763). */
const TYPE = "_flanco._tcp.local";
/** What each packet about that type holds, and few others: a name's labels as RFC 1035 writes them. */
const TYPE_BYTES = Buffer.from("\x07_flanco\x04_tcp");
/** One Ethernet frame; gateways send 250 bytes. */
const MAX_BYTES = 1_500;
const TTL_S = 120;
const ID = /^[0-9a-f]{8}$/;
const MAX_PORT = 65_535;

/** What a gateway says of itself on the local network. */
export interface Announcement {
  /** The first eight digits of its ledger's identity. */
  readonly id: string;
  readonly name: string;
  /** Where it serves HTTPS. */
  readonly port: number;
  /** It goes: its service ends. */
  readonly isLeaving: boolean;
}

/** As a packet of mDNS (RFC 6762). `host` is the machine's name. */
export function announcementPacket({ id, name, port, isLeaving }: Announcement, host: string): Buffer {
  const instance = `flanco-${id}.${TYPE}`;
  const ttl = isLeaving ? 0 : TTL_S;
  return encode({
    type: "response",
    flags: AUTHORITATIVE_ANSWER,
    answers: [
      { type: "PTR", name: TYPE, ttl, data: instance },
      { type: "SRV", name: instance, ttl, data: { port, target: `${host}.local` } },
      { type: "TXT", name: instance, ttl, data: [`id=${id}`, `name=${toGatewayName(name)}`] },
    ],
  });
}

/** Asks for the announcements of all gateways. */
export function questionPacket(): Buffer {
  return encode({ type: "query", questions: [{ type: "PTR", name: TYPE }] });
}

/** Whether a packet is worth to be read: the others cost a search of their bytes. */
export function isAboutGateways(bytes: Buffer): boolean {
  return bytes.length <= MAX_BYTES && bytes.includes(TYPE_BYTES);
}

/**
 * Reads a packet of the local network, which may hold anything. Undefined for one that is neither a question for gateways nor a
 * whole announcement.
 */
export function readPacket(bytes: Buffer): "question" | Announcement | undefined {
  try {
    const { type, questions = [], answers = [], additionals = [] } = decode(bytes);
    if (type === "response") return announcementOf([...answers, ...additionals]);
    return questions.some(({ type: asked, name }) => asked === "PTR" && name === TYPE)
      ? "question"
      : undefined;
  } catch {
    // Not a packet of DNS.
    return undefined;
  }
}

function announcementOf(records: readonly Answer[]): Announcement | undefined {
  const pointer = records.find((record) => record.type === "PTR" && record.name === TYPE);
  if (pointer?.type !== "PTR") return undefined;
  const own = records.filter(({ name }) => name === pointer.data);
  const service = own.find(({ type }) => type === "SRV");
  const text = own.find(({ type }) => type === "TXT");
  if (service?.type !== "SRV" || text?.type !== "TXT") return undefined;
  const values = new Map([text.data].flat().map((value) => pairOf(value.toString())));
  const [id, name, { port }] = [
    values.get("id") ?? "",
    toGatewayName(values.get("name") ?? ""),
    service.data,
  ];
  if (!ID.test(id) || name === "" || port < 1 || port > MAX_PORT) return undefined;
  return { id, name, port, isLeaving: pointer.ttl === 0 };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}
