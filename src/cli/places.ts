import type { ClientAddress } from "../http/client-address.ts";

/** How many connections may be open at once. */
export interface Bounds {
  readonly perAddress: number;
  /** Of one IPv6 /64, in which one machine has as many addresses as it likes. */
  readonly perNetwork: number;
  readonly inAll: number;
}

/** What holds a place: a connection, as far as this goes. */
export interface Holder {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

/** The place of one connection. */
export interface Place {
  /** A request has come over it: what never asks for anything gives its place up first. */
  noteRequest(): void;
}

interface Taken {
  readonly holder: Holder;
  readonly address: string;
  readonly group: Group;
}

/** The connections of one IPv6 /64 or IPv4 /24: of one machine perhaps, whatever addresses it takes. */
interface Group {
  readonly name: string;
  /** By address; each has its oldest first. */
  readonly addresses: Map<string, Set<Taken>>;
  /** Those without a request yet, the oldest first. */
  readonly silent: Set<Taken>;
  size: number;
}

/** The places that connections share, dealt by network first and by address within it. */
export class Places {
  readonly #bounds: Bounds;
  /** By name; of networks that have as many as each other, the one that came first stands first. */
  readonly #groups = new Map<string, Group>();
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Takes a place for a connection, until it is closed; undefined where there is none for it. */
  take(holder: Holder, from: ClientAddress): Place | undefined {
    const name = groupOf(from);
    if (!this.#makeRoom(from, this.#groups.get(name))) return undefined;
    // Looked up anew: the last of its group may have given its place up.
    const group = this.#groups.get(name) ?? { name, addresses: new Map(), silent: new Set(), size: 0 };
    const taken: Taken = { holder, address: from.address, group };
    this.#add(taken);
    holder.once("close", () => this.#remove(taken));
    return { noteRequest: () => group.silent.delete(taken) };
  }

  #makeRoom({ address, network }: ClientAddress, group: Group | undefined): boolean {
    const own = group?.addresses.get(address)?.size ?? 0;
    if (own >= this.#bounds.perAddress) return false;
    const inGroup = group?.size ?? 0;
    if (group !== undefined && network !== null && inGroup >= this.#bounds.perNetwork) {
      return this.#evict(group, own);
    }
    if (this.#count < this.#bounds.inAll) return true;
    const greediest = mostOf(this.#groups.values(), ({ size }) => size);
    if (greediest !== undefined && greediest !== group && owes(greediest.size, inGroup)) {
      // What the group owes is owed by its greediest address, however many the newcomer's address has.
      return this.#evict(greediest, 0);
    }
    return group !== undefined && this.#evict(group, own);
  }

  /** Whether a connection of a group was closed for an address that has so many. */
  #evict(group: Group, own: number): boolean {
    const [silent] = group.silent;
    const victim = silent ?? oldestOfGreediest(group, own);
    if (victim === undefined) return false;
    this.#remove(victim);
    victim.holder.destroy();
    return true;
  }

  #add(taken: Taken): void {
    const { group, address } = taken;
    const own = group.addresses.get(address) ?? new Set();
    group.addresses.set(address, own.add(taken));
    group.silent.add(taken);
    group.size += 1;
    this.#groups.set(group.name, group);
    this.#count += 1;
  }

  /** Once: one that gave its place up was counted out then, and is closed after it. */
  #remove(taken: Taken): void {
    const { group, address } = taken;
    const own = group.addresses.get(address);
    if (own?.delete(taken) !== true) return;
    if (own.size === 0) group.addresses.delete(address);
    group.silent.delete(taken);
    group.size -= 1;
    if (group.size === 0) this.#groups.delete(group.name);
    this.#count -= 1;
  }
}

function oldestOfGreediest({ addresses }: Group, own: number): Taken | undefined {
  const greediest = mostOf(addresses.values(), ({ size }) => size);
  if (greediest === undefined || !owes(greediest.size, own)) return undefined;
  const [oldest] = greediest;
  return oldest;
}

/** Whether who has the most gives one up: to who has none always, else where the two do not just change places. */
function owes(most: number, own: number): boolean {
  return own === 0 || most > own + 1;
}

/** The first of those with the most. */
function mostOf<Item>(items: Iterable<Item>, count: (item: Item) => number): Item | undefined {
  let most: Item | undefined;
  for (const item of items) if (most === undefined || count(item) > count(most)) most = item;
  return most;
}

/** An IPv4 machine takes the free addresses of its own network: within a /24 they count as one crowd. */
function groupOf({ address, network }: ClientAddress): string {
  return network ?? `${address.slice(0, address.lastIndexOf("."))}.0/24`;
}
