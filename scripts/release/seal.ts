// Seals a bundle and Node into one file with pkg. pkg makes a temporary folder and changes to it, so this is a process of its
// own, which has the folder WORK for itself:
//
//   cd WORK && TMPDIR=WORK node scripts/release/seal.ts REQUEST
import pkg from "@yao-pkg/pkg/lib-es5/sea.js";

export interface SealRequest {
  /** The bundle's first file, relative to WORK. */
  readonly main: string;
  /** The stripped Node: it makes the blob; a copy of it becomes the program. */
  readonly node: string;
  readonly target: string;
  /** Options of Node that the program always runs with. */
  readonly execArgv: readonly string[];
  /** Absolute paths by their names in the program. */
  readonly assets: Readonly<Record<string, string>>;
}

const { main, node, target, execArgv, assets } = JSON.parse(process.argv[2] ?? "") as SealRequest;
// More than pkg's types name, and all of it goes into the configuration that Node reads.
const seaConfig = {
  // Stack traces show it, so it is relative: to the folder that pkg makes in WORK.
  main: `../${main}`,
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  // The program has its own, of more (code-cache.ts).
  useCodeCache: false,
  execArgv,
  execArgvExtension: "none",
  assets,
};
// pkg lets `node` make the blob only if the target is of this machine's kind. So that is what it is told: the kernel starts
// programs of the other kind too (prepareFor).
const arch = process.arch === "arm64" ? "arm64" : "x64";
const nodeRange = `node${process.versions.node}`;
await pkg.default(main, {
  nodePath: node,
  targets: [{ platform: "linux", arch, nodeRange, output: target }],
  seaConfig,
});
