import { expect } from "chai";
import { clientAddress } from "../../src/domain/client-address.ts";

describe("A client's address", () => {
  it("is the socket's, without its zone and without the form of IPv4 in IPv6", () => {
    for (const plain of ["192.168.1.20", "2001:db8::1", "::1"]) expect(clientAddress(plain)).to.equal(plain);
    expect(clientAddress("::ffff:192.168.1.20")).to.equal("192.168.1.20");
    expect(clientAddress("fe80::1%eth0")).to.equal("fe80::1");
    expect(clientAddress(undefined)).to.equal("");
  });
});
