import { hostname, networkInterfaces } from "node:os";
import { expect } from "chai";
import { DAY_MS } from "../../src/domain/clock.ts";
import { KnownHosts } from "../../src/net/host-names.ts";
import { makeAuthority, makeLeaf } from "../../src/net/tls/authority.ts";

const HOST = {
  names: ["panel.clinica.org", "*.salas.org"],
  addresses: ["10.1.2.3"],
  publicAddresses: [],
  alternatives: [],
  announced: null,
};

describe("The host names of this machine", () => {
  const hosts = new KnownHosts(() => ["Panel.Example.org", "203.0.113.9", "2001:db8::9"]);

  it("are localhost and its host name, with its domain, without, and as .local", () => {
    const full = hostname().toLowerCase();
    const [short] = full.split(".");
    for (const name of ["localhost", full, `${short}`, `${short}.local`])
      expect(hosts.has(name), name).to.equal(true);
  });

  it("are its own addresses, and any of a private network, of the link and of loopback", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of own) expect(hosts.has(address), address).to.equal(true);
    for (const address of [
      ...["127.0.0.1", "10.9.8.7", "172.16.0.1", "192.168.1.1", "169.254.1.1", "::1", "fe80::1", "fd00::1"],
    ]) {
      expect(hosts.has(address), address).to.equal(true);
    }
  });

  it("are those of the configuration, without regard to case", () => {
    for (const name of ["panel.example.org", "203.0.113.9", "2001:db8::9"])
      expect(hosts.has(name), name).to.equal(true);
  });

  it("are no other names or addresses", () => {
    for (const name of [
      ...["", "evil.example.com", "example.org", "x.panel.example.org", "local", "evil.local"],
      ...["203.0.113.10", "8.8.8.8", "2001:db8::10", "0.0.0.0", "2130706433", "0x7f000001", "127.1"],
      `${hostname().toLowerCase()}.evil.example.com`,
    ]) {
      expect(hosts.has(name), name).to.equal(false);
    }
  });

  it("are those of the served certificate, with a star for one label, until another one is served", async () => {
    const certified = new KnownHosts(() => []);
    const authority = await makeAuthority(HOST, Date.now());
    const leafOf = async (names: readonly string[]) =>
      makeLeaf(authority, { ...HOST, names }, { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS });
    certified.certify((await leafOf(HOST.names)).cert);
    expect(certified.has("panel.clinica.org")).to.equal(true);
    expect(certified.has("planta1.salas.org")).to.equal(true);
    for (const name of ["salas.org", "a.b.salas.org", "clinica.org"])
      expect(certified.has(name), name).to.equal(false);
    certified.certify((await leafOf(["otro.clinica.org"])).cert);
    expect(certified.has("panel.clinica.org")).to.equal(false);
    expect(certified.has("otro.clinica.org")).to.equal(true);
  });
});
