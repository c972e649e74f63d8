import { hash } from "node:crypto";
import type { Device } from "../domain/device.ts";
import type { Language } from "../domain/language.ts";

const ID_DIGITS = 16;
const SALE: Readonly<Record<Language, string>> = { es: "Venta", en: "Sale" };

/** What Home Assistant is told of a gateway. */
export interface AnnouncedGateway {
  /** What the discovery topics begin with. */
  readonly prefix: string;
  /** The ledger's first identity, which a restore on another machine keeps: entities stay the same ones. */
  readonly firstLedger: string;
  readonly name: string;
  /** The program's version. */
  readonly version: string;
  readonly language: Language;
  /** The topic that says whether the gateway is there. */
  readonly availability: string;
}

type Announcement = readonly [topic: string, payload: string];

/** The filter of all discovery topics of a gateway. */
export function announcedTopics({ prefix, firstLedger }: AnnouncedGateway): string {
  return `${prefix}/+/${nodeOf(firstLedger)}/+/config`;
}

/** The announcement of the gateway itself: whether it is there. Each room's device stands below its device. */
export function announceGateway(gateway: AnnouncedGateway): Announcement {
  const { prefix, name, version, availability } = gateway;
  const node = nodeOf(gateway.firstLedger);
  const config = {
    ...originOf(version),
    device: { identifiers: [node], name, manufacturer: "flanco", sw_version: version },
    unique_id: `${node}_status`,
    name: null,
    device_class: "connectivity",
    state_topic: availability,
    qos: 1,
    payload_on: "online",
    payload_off: "offline",
  };
  return [`${prefix}/binary_sensor/${node}/status/config`, JSON.stringify(config)];
}

/** The announcements of a room: a sensor of its state, and an event for its sales. */
export function announceRoom(
  gateway: AnnouncedGateway,
  device: Device,
  room: string,
  topics: { readonly state: string; readonly sale: string },
): readonly Announcement[] {
  const { prefix, firstLedger, version, language, availability } = gateway;
  const node = nodeOf(firstLedger);
  const id = hash("sha256", JSON.stringify([firstLedger, device.id, room])).slice(0, ID_DIGITS);
  const shared = {
    ...originOf(version),
    availability_topic: availability,
    // Otherwise Home Assistant asks for messages that may be lost: a lost one is a sale that it never sees.
    qos: 1,
    device: {
      identifiers: [`flanco_${id}`],
      name: `${device.name} ${room}`,
      manufacturer: "flanco",
      model: device.name,
      sw_version: version,
      suggested_area: device.locationName,
      via_device: node,
    },
  };
  const sensor = { ...shared, unique_id: `flanco_${id}_state`, name: null, state_topic: topics.state };
  const event = {
    ...shared,
    unique_id: `flanco_${id}_sale`,
    name: SALE[language],
    event_types: ["sale", "refund"],
    state_topic: topics.sale,
  };
  return [
    [`${prefix}/binary_sensor/${node}/${id}_state/config`, JSON.stringify(sensor)],
    [`${prefix}/event/${node}/${id}_sale/config`, JSON.stringify(event)],
  ];
}

function nodeOf(firstLedger: string): string {
  return `flanco_${firstLedger.slice(0, ID_DIGITS)}`;
}

function originOf(version: string): object {
  return { origin: { name: "flanco", sw_version: version } };
}
