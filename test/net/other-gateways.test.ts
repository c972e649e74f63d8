import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { Log } from "../../src/domain/log.ts";
import { foundIn, OtherGateways } from "../../src/net/other-gateways.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** A found service, as avahi-browse 0.8 writes it. */
function line(name: string, address: string, port: number | string): string {
  return `=;eth0;IPv4;${name};_flanco._tcp;local;sur.local;${address};${port};"x"\n`;
}

describe("Other gateways on the network", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let told: { fields: object; message: string }[];
  let opened: OtherGateways | undefined;
  beforeEach(() => {
    told = [];
  });
  afterEach(() => opened?.close());

  function over(tool: string, patienceMs?: number): OtherGateways {
    const tell = (fields: object, message: string) => told.push({ fields, message });
    const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
    opened = new OtherGateways({ log, tool, ...(patienceMs !== undefined && { patienceMs }) });
    return opened;
  }

  /** A tool that is this script of the shell. */
  function tool(script: string): string {
    const file = directory.file("avahi-browse");
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  it("are what avahi finds, each address once, with names as people read them", async () => {
    const gateways = over(join(import.meta.dirname, "..", "rig", "avahi", "avahi-browse"));
    await gateways.refresh();
    expect(gateways.list()).to.deep.equal([
      { name: "Clínica Este", address: "https://192.168.77.3:9443/" },
      { name: "Clínica Este", address: "https://192.168.77.4:9443/" },
      { name: "flanco sur", address: "https://192.168.77.2:8443/" },
    ]);
    expect(told).to.deep.equal([]);
  });

  it("are asked for by their own type of service alone, without this machine's, and only as they are found", async () => {
    const words = directory.file("words");
    await over(tool(`echo "$@" > ${words}`)).refresh();
    expect(foundIn(`+${line("sur", "10.0.0.2", 8443).slice(1)}`)).to.deep.equal([]);
    expect(readFileSync(words, "utf8").trim().split(" ")).to.include.members([
      ...["--parsable", "--resolve", "--terminate", "--ignore-local", "_flanco._tcp"],
    ]);
  });

  it("are none without avahi or while it does not answer, which the log says once, without the network's words", async () => {
    const absent = over(directory.file("absent"));
    await absent.refresh();
    await absent.refresh();
    expect(absent.list()).to.deep.equal([]);
    expect(told).to.have.length(1);
    expect(told[0]?.fields).to.include({ code: "ENOENT" });
    const failing = over(tool(`printf '${line("sur", "10.0.0.2", 8443).trim()}'; echo hostile >&2; exit 1`));
    await failing.refresh();
    expect(failing.list()).to.deep.equal([]);
    expect(told).to.have.length(2);
    expect(JSON.stringify(told)).to.not.contain("hostile");
  });

  it("are none of a tool that stalls: it is ended after its time, and asked again", async () => {
    const stalling = over(tool(`exec sleep 3600`), 50);
    await stalling.refresh();
    expect(stalling.list()).to.deep.equal([]);
    tool(`echo '${line("sur", "10.0.0.2", 8443).trim()}'`);
    await stalling.refresh();
    expect(stalling.list()).to.have.length(1);
    expect(told).to.have.length(1);
  });

  it("are none of a tool that writes without end", async () => {
    const flooding = over(tool(`exec yes '${line("sur", "10.0.0.2", 8443).trim()}'`));
    await flooding.refresh();
    expect(flooding.list()).to.deep.equal([]);
    expect(told[0]?.fields).to.include({ code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" });
  });

  it("end the tool when the service ends", async () => {
    const waiting = over(tool(`exec sleep 3600`));
    const refresh = waiting.refresh();
    waiting.close();
    await refresh;
    expect(told).to.deep.equal([]);
  });

  it("lead to private addresses alone, at a port", () => {
    const claims = [
      line("sur", "203.0.113.9", 8443),
      line("sur", "10.0.0.256", 8443),
      line("sur", "example.org", 8443),
      line("sur", "10.0.0.2", 0),
      line("sur", "10.0.0.2", 65_536),
      line("sur", "10.0.0.2", "8443@example.org"),
      line("\\000\\010\\226\\128\\174", "10.0.0.2", 8443),
      line("sur", "10.0.0.2", 65_535),
    ];
    expect(foundIn(claims.join(""))).to.deep.equal([{ name: "sur", address: "https://10.0.0.2:65535/" }]);
  });

  it("are 32 at most", () => {
    const claims = Array.from({ length: 400 }, (_, at) => line("sur", "10.0.0.2", at + 1));
    expect(foundIn(claims.join(""))).to.have.length(32);
  });

  it("have names of one line, of 60 characters at most, whatever somebody claims", () => {
    const name = fc.array(
      fc.oneof(
        fc.nat(999).map((code) => `\\${String(code).padStart(3, "0")}`),
        fc.constantFrom("\\.", "\\\\", "\\", ";", "a", "\u009b", "\r", "\u00e9"),
      ),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(name, (parts) => {
        for (const found of foundIn(line(parts.join(""), "10.0.0.2", 8443))) {
          expect(found.name).to.match(/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u);
          expect(found.address).to.equal("https://10.0.0.2:8443/");
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
