// Runs, in the guest, the drivers' tests on its kernel's chip.
import Mocha from "mocha";

const TIMEOUT_MS = 20_000;

const mocha = new Mocha({ timeout: TIMEOUT_MS });
// What a test file finds as globals.
mocha.suite.emit("pre-require", globalThis, "", mocha);
await import("../../gpio/conformance.test.ts");
await import("../../gpio/kernel.test.ts");
mocha.run((failures) => process.exit(failures === 0 ? 0 : 1));
