import { connect } from "node:net";
import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";

/** Targets that node's HTTP parser lets through and that are no URL. */
const UNREADABLE = ["http://[::1", "http://[/api/device", "d://althz"];

describe("A request target that is no URL", () => {
  let appliance: Appliance;

  before(async () => {
    appliance = await Appliance.open();
  });
  after(() => appliance.close());

  /** One request with a target that no client of ours would send. */
  async function ask(target: string): Promise<{ head: string; body: string }> {
    const socket = connect(appliance.port, "127.0.0.1");
    socket.end(`GET ${target} HTTP/1.1\r\nHost: ${appliance.host}\r\nConnection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) text += chunk;
    const [head = "", body = ""] = text.split("\r\n\r\n");
    return { head, body };
  }

  for (const target of UNREADABLE) {
    it(`is a mistake of the client, answered in the contract's envelope: ${target}`, async () => {
      const { head, body } = await ask(target);
      expect(head).to.match(/^HTTP\/1\.1 400 /);
      expect(head).to.match(/^content-type: application\/json/im);
      expect(JSON.parse(body)).to.deep.equal({
        status: "error",
        error: "The request's target is not a valid URL. Send a path that begins with /.",
      });
      expect(appliance.log.errors).to.deep.equal([]);
    });
  }

  it("is told from one that is: a whole URL is served as its path is", async () => {
    const { head } = await ask(`http://${appliance.host}/healthz`);
    expect(head).to.match(/^HTTP\/1\.1 200 /);
  });
});
