import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { runCommand } from "../../scripts/command.ts";

const SECTOR_BYTES = 512;
const tableSchema = z.object({
  partitiontable: z.object({ partitions: z.array(z.object({ start: z.int(), size: z.int() })) }),
});

/** The partitions, as the table has them. */
const NUMBER = { boot: 0, root: 1, data: 2 } as const;
export type PartitionName = keyof typeof NUMBER;

/** A memory card that the image was written to, larger than the image; a file of this machine. */
export class Card {
  readonly file: string;
  readonly directory: string;

  private constructor(file: string, directory: string) {
    this.file = file;
    this.directory = directory;
  }

  /** Writes the image to a card of that size. `directory` is the card's own. */
  static write(image: string, directory: string, mebibytes: number): Card {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, "card.img");
    runCommand(["cp", "--sparse=always", image, file]);
    truncateSync(file, mebibytes * 1024 * 1024);
    return new Card(file, directory);
  }

  /** What a technician writes to flanco.txt, at a computer. */
  preset(text: string): void {
    const file = join(this.directory, "flanco.txt");
    writeFileSync(file, text);
    runCommand(["mcopy", "-o", "-i", this.#boot(), file, "::flanco.txt"]);
  }

  /** A file of the boot partition. */
  bootFile(name: string): Buffer {
    const file = join(this.directory, name);
    runCommand(["mcopy", "-n", "-o", "-i", this.#boot(), `::${name}`, file]);
    return readFileSync(file);
  }

  bootFiles(): readonly string[] {
    return runCommand(["mdir", "-b", "-i", this.#boot()])
      .trim()
      .split("\n")
      .map((name) => name.replace(/^::\//, ""));
  }

  /** Where a partition begins and how long it is, in bytes. */
  partition(name: PartitionName): { readonly start: number; readonly size: number } {
    const { partitiontable } = tableSchema.parse(JSON.parse(runCommand(["sfdisk", "--json", this.file])));
    const found = partitiontable.partitions[NUMBER[name]];
    if (found === undefined) throw new Error(`The card has no ${name} partition.`);
    return { start: found.start * SECTOR_BYTES, size: found.size * SECTOR_BYTES };
  }

  /**
   * A file of an ext4 partition of a card that no machine runs from, as fsck leaves it: with all that the journal holds. Null
   * where there is none.
   */
  read(name: "root" | "data", path: string): string | null {
    const image = this.#checked(name);
    const target = join(this.directory, "file");
    writeFileSync(target, "\0");
    runCommand(["debugfs", "-R", `dump ${path} ${target}`, image]);
    const content = readFileSync(target, "utf8");
    return content === "\0" ? null : content;
  }

  /** The mode of a file or folder of an ext4 partition, in octal digits. */
  mode(name: "root" | "data", path: string): string {
    const said = runCommand(["debugfs", "-R", `stat ${path}`, this.#checked(name)]);
    const [, mode] = /Mode:\s+(\d+)/.exec(said) ?? [];
    if (mode === undefined) throw new Error(`debugfs told no mode of ${path}: ${said}`);
    return mode;
  }

  /** Names in a folder of an ext4 partition. */
  names(name: "root" | "data", path: string): readonly string[] {
    const listed = runCommand(["debugfs", "-R", `ls -p ${path}`, this.#checked(name)]);
    return listed
      .split("\n")
      .map((line) => line.split("/")[5] ?? "")
      .filter((entry) => entry !== "" && entry !== "." && entry !== "..");
  }

  #boot(): string {
    return `${this.file}@@${this.partition("boot").start}`;
  }

  /** A copy of a partition, repaired as the machine's own start would. */
  #checked(name: "root" | "data"): string {
    const { start, size } = this.partition(name);
    const image = join(this.directory, `${name}.img`);
    const range = [`skip=${start}`, `count=${size}`, "iflag=skip_bytes,count_bytes"];
    runCommand(["dd", `if=${this.file}`, `of=${image}`, "bs=1M", ...range, "conv=sparse", "status=none"]);
    // 1: what it found is repaired.
    runCommand(["sh", "-c", 'e2fsck -p "$1" || [ $? -le 1 ]', "sh", image]);
    return image;
  }
}
