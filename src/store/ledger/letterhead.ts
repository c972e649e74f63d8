import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import type { Id } from "../../domain/id.ts";
import type { Letterhead } from "../../domain/letterhead.ts";
import type { WriteContext } from "./commands.ts";

export function letterheadReader(db: Database) {
  const read = db.prepare<[Id], Letterhead>(
    "SELECT company, tax_number AS taxNumber, address, logo FROM account WHERE user_id = ?",
  );
  return {
    letterhead: (userId: Id): Letterhead =>
      read.get(userId) ?? { company: "", taxNumber: "", address: "", logo: "" },
  };
}

export function letterheadCommands(db: Database, { audit }: Pick<WriteContext, "audit">) {
  const set = db.prepare<Letterhead & { userId: Id }>(
    `UPDATE account SET company = @company, tax_number = @taxNumber, address = @address, logo = @logo
      WHERE user_id = @userId`,
  );
  return {
    setLetterhead(userId: Id, letterhead: Letterhead, by: Actor = SERVICE_ACTOR): void {
      audit.requireFew(userId, by);
      set.run({ ...letterhead, userId });
      const { logo, ...texts } = letterhead;
      // Of the picture its hash: entries stay for ever.
      const picture = logo === "" ? "" : hash("sha256", logo, "hex");
      audit.note("letterhead_set", userId, { ...texts, logo: picture }, by);
    },
  };
}
