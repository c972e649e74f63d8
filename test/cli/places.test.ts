import { expect } from "chai";
import { type Bounds, type Holder, type Place, Places } from "../../src/cli/places.ts";
import { clientAddress } from "../../src/http/client-address.ts";

const BOUNDS: Bounds = { perAddress: 4, perNetwork: 6, inAll: 16 };

/** A connection that is closed at once when it is told to. */
class Connection implements Holder {
  open = true;
  place: Place | undefined;
  #onClose = () => {};

  once(_event: "close", listener: () => void): void {
    this.#onClose = listener;
  }

  destroy(): void {
    this.open = false;
    this.#onClose();
  }
}

describe("The places of connections", () => {
  let places: Places;

  beforeEach(() => {
    places = new Places(BOUNDS);
  });

  /** A connection that a request has come over, where nothing else is said; not open where there is no place. */
  function come(address: string, asks = true): Connection {
    const connection = new Connection();
    connection.place = places.take(connection, clientAddress(address));
    connection.open = connection.place !== undefined;
    if (asks) connection.place?.noteRequest();
    return connection;
  }

  /** One connection of each of so many addresses. */
  function crowd(prefix: string, count: number): Connection[] {
    return Array.from({ length: count }, (_, index) => come(`${prefix}${index + 1}`));
  }

  const openOf = (connections: readonly Connection[]) => connections.filter(({ open }) => open);

  it("of a /64 are no more than its bound, its oldest for its newest, whatever addresses it takes", () => {
    const link = crowd("fe80::", BOUNDS.perNetwork + 2);
    expect(link.map(({ open }) => open)).to.deep.equal([false, false, ...link.slice(2).map(() => true)]);
    expect(come("fd00:9::1").open).to.equal(true);
  });

  it("that are all taken by three /64s, an address each, are given up for a fourth and for IPv4", () => {
    const attackers = [
      ...crowd("fe80::", BOUNDS.perNetwork),
      ...crowd("fd00:1::", BOUNDS.perNetwork),
      ...crowd("fd00:2::", 4),
    ];
    expect(openOf(attackers)).to.have.lengthOf(BOUNDS.inAll);
    const others = [come("fd00:3::1"), come("fd00:3::1"), come("192.168.1.20"), come("192.168.1.21")];
    expect(openOf(others)).to.have.lengthOf(4);
    expect(openOf(attackers)).to.have.lengthOf(BOUNDS.inAll - 4);
  });

  it("are given up by the network with the most, not by an address of a smaller one that has more", () => {
    const tablet = Array.from({ length: BOUNDS.perAddress }, () => come("192.168.1.20"));
    const attackers = [...crowd("fd00:1::", BOUNDS.perNetwork), ...crowd("fd00:2::", BOUNDS.perNetwork)];
    expect(come("fd00:3::1").open).to.equal(true);
    expect(openOf(tablet)).to.have.lengthOf(BOUNDS.perAddress);
    expect(openOf(attackers)).to.have.lengthOf(2 * BOUNDS.perNetwork - 1);
  });

  it("are taken first from what no request has come over, although it is not the oldest", () => {
    const asked = crowd("10.0.0.", BOUNDS.inAll - 1);
    const silent = come("10.0.0.200", false);
    expect(come("10.0.0.201").open).to.equal(true);
    expect(silent.open).to.equal(false);
    expect(openOf(asked)).to.have.lengthOf(BOUNDS.inAll - 1);
  });

  it("within one network go to an address that has none, from the address with the most", () => {
    const greedy = Array.from({ length: 3 }, () => come("10.0.0.99"));
    const crowded = crowd("10.0.0.", BOUNDS.inAll - 3);
    expect(come("10.0.0.100").open).to.equal(true);
    expect(greedy.map(({ open }) => open)).to.deep.equal([false, true, true]);
    expect(openOf(crowded)).to.have.lengthOf(BOUNDS.inAll - 3);
    // The two would only change places.
    expect(come("10.0.0.100").open).to.equal(false);
  });

  it("are taken again when they are closed, and counted once", () => {
    const first = crowd("10.0.0.", BOUNDS.inAll);
    for (const connection of first) connection.destroy();
    const second = crowd("10.0.1.", BOUNDS.inAll);
    expect(openOf(second)).to.have.lengthOf(BOUNDS.inAll);
  });
});
