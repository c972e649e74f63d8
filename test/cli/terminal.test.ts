import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { printable } from "../../src/cli/terminal.ts";
import { CHECKOUT, listen, PASSWORD } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { seededProgram } from "./ledger.ts";

const CONTROL_C = "\x03";
const CONTROL_D = "\x04";
const FIRST = "Password (at least 10 characters): ";
const SECOND = "Once more: ";

describe("A command", () => {
  const program = forSuite(() => seededProgram());

  // With the service running, a command is only its question and one message.
  before(() => program.start());

  let keyboard: ChildProcess;
  let screen: { stdout: string };

  /** Runs a command on a terminal of its own, by util-linux's `script`, which gives the command's exit code. */
  function type(words: string): void {
    const command = `"${program.command.join('" "')}" ${words}`;
    keyboard = program.adopt(
      spawn("script", ["--quiet", "--return", "--echo", "never", "--command", command, "/dev/null"], {
        cwd: CHECKOUT,
        env: { ...program.environment, SHELL: "/bin/sh" },
        stdio: "pipe",
      }),
    );
    screen = listen(keyboard);
  }

  async function answer(question: string, keys: string): Promise<void> {
    await until(`it asks "${question}"`, () => screen.stdout.endsWith(question));
    keyboard.stdin?.write(keys);
  }

  async function ended(): Promise<string> {
    await until("the command ends", () => keyboard.exitCode !== null);
    return screen.stdout.replaceAll("\r\n", "\n");
  }

  it("'s questions for a remote place show what is typed, but for the password", async () => {
    type("restore --from-remote");
    await answer("smb://…): ", "sftp://ana@place/x\r");
    await answer("Login: ", "ana\r");
    await answer("Password or key of that login: ", "canary\r");
    await answer("Passphrase of the printed sheet: ", "abcd-efgh\r");
    const shown = await ended();
    expect(shown).to.match(/sftp:\/\/ana@place\/x\r?\nLogin: ana\r?\nPassword or key of that login: \n/);
    expect(shown).to.match(/\nflanco: remote_address must be [^\n]*\n$/);
    expect(shown).to.contain("remote_passphrase ").and.not.contain("canary");
    expect(keyboard.exitCode).to.equal(78);
  });

  describe("'s question for a password", () => {
    beforeEach(() => type("user passwd --email ana@example.org"));

    it("is asked twice, takes both answers at once, and shows neither", async () => {
      await answer(FIRST, `${PASSWORD}\r${PASSWORD}\r`);
      expect(await ended()).to.equal(
        `${FIRST}\n${SECOND}\nana@example.org has another password and is signed out everywhere.\n`,
      );
      expect(keyboard.exitCode).to.equal(0);
    });

    it("refuses two different answers", async () => {
      await answer(FIRST, `${PASSWORD}\r`);
      await answer(SECOND, `${PASSWORD}!\r`);
      expect(await ended()).to.equal(`${FIRST}\n${SECOND}\nflanco: The two passwords differ. Try again.\n`);
      expect(keyboard.exitCode).to.equal(1);
    });

    for (const [name, key] of [
      ["Ctrl-C", CONTROL_C],
      ["Ctrl-D", CONTROL_D],
    ] as const) {
      it(`is given up by ${name}, in one line and with exit code 1`, async () => {
        await answer(FIRST, key);
        expect(await ended()).to.equal(`${FIRST}\nflanco: No password was given. Nothing was changed.\n`);
        expect(keyboard.exitCode).to.equal(1);
      });
    }
  });

  describe("'s output", () => {
    for (const command of ["wiring export", "export", "gpio record", "--help"]) {
      it(`of flanco ${command} makes it fail in one line where a full disk does not take it`, async () => {
        const wrapper = ["sh", "-c", 'exec "$0" "$@" > /dev/full'];
        const { exitCode, stderr } = await program.run(command.split(" "), { wrapper });
        expect(stderr).to.match(/^flanco: The output could not be written: ENOSPC[^\n]*\n$/);
        expect(exitCode).to.equal(1);
      });
    }

    it("is told as missing where the command fails as well, with the command's own exit code", async () => {
      const wrapper = ["sh", "-c", 'exec "$0" "$@" > /dev/full'];
      const { exitCode, stderr } = await program.run(["doctor"], { wrapper });
      const [first, second] = stderr.split("\n");
      expect(first).to.match(/^flanco: .* checks need attention: /);
      expect(second).to.match(/^flanco: The output could not be written: ENOSPC/);
      expect(exitCode).to.equal(3);
    });

    for (const command of ["export", "gpio record", "wiring list"]) {
      it(`of flanco ${command} lets it end quietly once nobody reads it`, async () => {
        const child = program.spawn(command.split(" "));
        const { stdout } = child;
        const said = listen(child);
        stdout?.destroy();
        const [exitCode] = await once(child, "close");
        expect([exitCode, said.stderr]).to.deep.equal([0, ""]);
      });
    }
  });
});

describe("Text for a terminal", () => {
  it("has its control characters escaped", () => {
    const names = [
      "\x1b[2Jgone",
      "\x9b31mred",
      "over\rwritten",
      "bell\x07",
      "\u202egnp.exe",
      "next\u2028line",
    ];
    expect(names.map(printable)).to.deep.equal([
      "\\u001b[2Jgone",
      "\\u009b31mred",
      "over\\u000dwritten",
      "bell\\u0007",
      "\\u202egnp.exe",
      "next\\u2028line",
    ]);
  });

  it("is unchanged without control characters", () => {
    const text = "Pasillo A\t7234\nHabitación 101 · 2,50 € – ありがとう";
    expect(printable(text)).to.equal(text);
  });

  it("stays JSON", () => {
    const name = "\x1b\x9b\u202e";
    expect(JSON.parse(printable(JSON.stringify({ name })))).to.deep.equal({ name });
  });
});
