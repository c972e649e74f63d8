// A history opens a ledger many times: what a zone's local days are is worked out once for all of them.
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";

/** Takes 100 ms, and is asked for at each change of the zone. */
const offsetChanges = LocalCalendar.prototype.offsetChanges;
const changesOf = new Map<string, ReturnType<typeof offsetChanges>>();
LocalCalendar.prototype.offsetChanges = function remembered() {
  const changes = changesOf.get(this.timeZone) ?? offsetChanges.call(this);
  changesOf.set(this.timeZone, changes);
  return changes;
};
