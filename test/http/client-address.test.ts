import { expect } from "chai";
import { clientAddress } from "../../src/http/client-address.ts";

describe("A client's address", () => {
  for (const [what, remote, address, network] of [
    ["of IPv4", "192.168.1.20", "192.168.1.20", null],
    ["of IPv4 through an IPv6 socket", "::ffff:192.168.1.20", "192.168.1.20", null],
    ["of IPv6, with its network", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["of IPv6 that is cut short", "2001:db8::1", "2001:db8::1", "2001:db8:0:0::/64"],
    ["of IPv6 that is cut short within its network", "fd00::2:3:4:5:6", "fd00::2:3:4:5:6", "fd00:0:0:2::/64"],
    ["of IPv6 on the link, without its zone", "fe80::1%eth0", "fe80::1", "fe80:0:0:0::/64"],
    ["of IPv6 on loopback", "::1", "::1", "0:0:0:0::/64"],
    ["that is gone", undefined, "", null],
  ] as const) {
    it(`is read from a connection ${what}`, () => {
      expect(clientAddress(remote)).to.deep.equal({ address, network });
    });
  }
});
