import { expect } from "chai";
import { clientAddress } from "../../src/platform/socket.ts";
import { Appliance } from "../rig/appliance.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";

const PROXY = "127.0.0.1";

/** Where sign-ins come from, by the audit log, for each of these X-Forwarded-For. */
async function sendersOf(proxies: readonly string[], forwarded: readonly string[]): Promise<string[]> {
  await using appliance = await Appliance.open({ proxies });
  const user = await appliance.addUser();
  const login = { email: user.email, password: PASSWORD };
  for (const way of forwarded) {
    await appliance.api.post("/api/login").set("X-Forwarded-For", way).send(login).expect(200);
  }
  const data = await user.data("/api/audit");
  const entries: readonly { readonly kind: string; readonly from: string }[] = data;
  return entries
    .filter(({ kind }) => kind === "sign_in")
    .map(({ from }) => from)
    .toReversed()
    .slice(-forwarded.length);
}

describe("The sender of a request", () => {
  it("is the connection's other end, whatever a header says, where that is no known proxy", async () => {
    expect(await sendersOf([], ["198.51.100.7"])).to.deep.equal([PROXY]);
  });

  it("is the last address that no known proxy has, where a known proxy brings it, and none where that is unknown", async () => {
    const ways = [
      ["", PROXY],
      ["198.51.100.7", "198.51.100.7"],
      ["203.0.113.9, 198.51.100.8", "198.51.100.8"],
      ["198.51.100.9, 10.0.0.5", "198.51.100.9"],
      ["2001:db8::7", "2001:db8::7"],
      ["198.51.100.10:49152, 10.0.0.5:80", "198.51.100.10"],
      ["[2001:DB8::8]:49152", "2001:db8::8"],
      ["10.0.0.5", PROXY],
      ["198.51.100.11, unknown", ""],
    ] as const;
    const found = await sendersOf(
      [PROXY, "10.0.0.5"],
      ways.map(([way]) => way),
    );
    expect(found).to.deep.equal(ways.map(([, from]) => from));
  });
});

describe("A sender without an address", () => {
  it("is not this machine, also where a proxy on it brings the request: the metrics are not for it", async () => {
    await using appliance = await Appliance.open({ proxies: [PROXY], config: { metrics: true } });
    await appliance.api.get("/metrics").expect(200);
    await appliance.api.get("/metrics").set("X-Forwarded-For", "unknown").expect(401);
  });
});

describe("A client's address", () => {
  it("is the socket's, without its zone and without the form of IPv4 in IPv6", () => {
    for (const plain of ["192.168.1.20", "2001:db8::1", "::1"]) expect(clientAddress(plain)).to.equal(plain);
    expect(clientAddress("::ffff:192.168.1.20")).to.equal("192.168.1.20");
    expect(clientAddress("fe80::1%eth0")).to.equal("fe80::1");
    expect(clientAddress(undefined)).to.equal("");
  });
});
