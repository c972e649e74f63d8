// Writes docs/licences.md from package-lock.json: every package under whose licence something of flanco stands.
//
//   node scripts/licences.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Packages for building whose code is in what is built. */
const IN_THE_PAGE = ["preact"];

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly development: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, { version: string; license?: string; dev?: boolean }>>;
}

function lockedPackages(): readonly Package[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: entry.version,
      licence: entry.license ?? "not stated",
      development: entry.dev === true,
    }))
    .sort((one, other) => `${one.name} ${one.version}`.localeCompare(`${other.name} ${other.version}`, "en"));
}

/** The document, whole. */
export function licencesDocument(): string {
  const packages = lockedPackages();
  const isShipped = ({ name, development }: Package) => !development || IN_THE_PAGE.includes(name);
  return `# Licences

Made from \`package-lock.json\` by \`npx node scripts/licences.ts\`; a test holds the two equal. \`npm run -s sbom\` writes the same
packages as a CycloneDX bill of materials, with their hashes.

## In the program and its page

${table(packages.filter(isShipped))}

## For building and testing

${table(packages.filter((entry) => !isShipped(entry)))}
`;
}

function table(packages: readonly Package[]): string {
  const byLicence = Map.groupBy(packages, ({ licence }) => licence);
  const rows = [...byLicence]
    .sort(([one], [other]) => one.localeCompare(other, "en"))
    .map(([licence, entries]) => {
      const names = new Set(entries.map(({ name, version }) => `${name} ${version}`));
      return `| ${licence} | ${[...names].join(", ")} |`;
    });
  return ["| licence | packages |", "|---|---|", ...rows].join("\n");
}

if (import.meta.main) writeFileSync(join(root, "docs", "licences.md"), licencesDocument());
