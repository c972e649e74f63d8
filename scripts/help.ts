/** What each npm script is for: its line in `npm run help`. */
export const SCRIPT_HELP: Readonly<Record<string, string>> = {
  help: "shows this list",
  start: "builds the page and runs the service, by default with simulated relays, on ./data",
  dev: "the same, and builds and restarts at each change below src; the data stays",
  flanco: "one command beside the running service: npm run -s flanco -- status",

  test: "what every change must pass: check, then all tests that need no special machine",
  check: "format, lint and types, without changing anything",
  format: "formats, sorts imports, and mends what the linter can mend",
  mocha: "the tests of npm test alone; one file: npx mocha test/domain/sale.test.ts",

  "test:slow": "all slow suites below, one after the other, as root on Debian",
  "test:page": "the page in Chromium, at three widths, in both languages",
  "test:page:short": "its form in CI: fewer widths and sizes",
  "test:guest": "the service under systemd in a virtual machine with a simulated GPIO chip",
  "test:guest:short": "its form in CI: fewer kills, no filter of system calls",
  "test:faults": "power cuts, kills, full and failing disks, damage; a soak of an hour",
  "test:faults:short": "its form in CI: fewer trials, a soak of 20 s",
  "test:simulation": "100,000 random histories of a gateway against a model",
  "test:simulation:short": "its form in CI: 2,000 histories",
  "test:security": "attacks on the running service",
  "test:security:short": "its form in CI: shorter attacks",
  "test:beyond": "mail server, broker, Prometheus and PostgreSQL, for real",
  "test:beyond:short": "its form in CI: 40 gateways in place of 1,000",
  "test:tls": "testssl.sh against HTTPS",
  "test:release": "builds the sealed binary and the package, and runs them",
  "test:release:short": "for this machine's processor alone",
  "test:package": "the package in guests: install, upgrade, go back, remove, a technician's day",
  "test:image": "the card image, booted",

  bench: "measures what docs/performance.md claims; needs root and a quiet machine",
  "bench:short": "a glance at the same",

  "build:web": "the page into dist/web",
  "build:program": "the page, then the program as a bundle into dist/program",
  release: "binaries, packages, card images into dist/release; -- --processor amd64 for one",
  reference: "docs/reference.md and docs/schema.md, from the source",
  sbom: "prints the bill of materials (CycloneDX)",

  prestart: "npm itself, before start: builds the page",
  postinstall: "npm itself, after npm ci: links the locked Node, compiles epoll",
};

if (import.meta.main) {
  const width = Math.max(...Object.keys(SCRIPT_HELP).map((name) => name.length));
  for (const [name, line] of Object.entries(SCRIPT_HELP)) console.log(`${name.padEnd(width)}  ${line}`);
}
