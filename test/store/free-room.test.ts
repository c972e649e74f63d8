import { tmpdir } from "node:os";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { requireRoom } from "../../src/store/backup/file-copy.ts";

const EXBIBYTE = 2 ** 60;

describe("The look at free space before a copy", () => {
  it("passes where there is room", () => {
    requireRoom(tmpdir(), 1, "make a backup");
  });

  it("says how much the copy takes, how much there is, and how much to free", () => {
    expect(() => requireRoom(tmpdir(), EXBIBYTE, "make a backup"))
      .to.throw(
        FlancoError,
        /^There is no room to make a backup: it takes 1099511627776 MiB, and the disk of .* has \d+ MiB\.$/,
      )
      .with.property("hint")
      .that.matches(/^Free \d+ MiB there\.$/);
  });
});
