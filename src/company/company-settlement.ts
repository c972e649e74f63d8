import { AS_JSON, type CommandGroup, command, optional, toMonth } from "../cli/command.ts";
import { iso } from "../cli/terminal.ts";
import type { ClinicMonth } from "../contract/clinic.ts";
import { monthBefore, monthOf, parseMonth } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import { LocalCalendar } from "../ledger/nouns/calendar.ts";
import { systemClock } from "../platform/machine.ts";
import { clinics } from "./company.ts";
import { DATABASE, example, OF_COMPANY, ofCompany } from "./company-door.ts";
import { companyQuery } from "./connection-pool.ts";
import { monthOfClinics } from "./settlements.ts";

/** `flanco central settlement`: what the clinics have settled. */
export const COMPANY_SETTLEMENTS: CommandGroup = {
  name: "settlement",
  about: "what the clinics have settled of a month",
  help: example(`settlement list ${DATABASE}`),
  rows: [
    command(
      "list",
      "show who has closed a month, what was settled, and where the database has other figures",
      {
        ...OF_COMPANY,
        month: optional("--month <YYYY-MM>", "the month; the one before this one without it", toMonth),
        json: AS_JSON,
      },
      `\nExit codes: 0 all have closed it and nothing differs, 3 a clinic needs attention.\n${example(`settlement list --month 2026-10 ${DATABASE}`)}`,
      async ({ month, json, ...access }, { context, terminal }) => {
        const { clinics: rows } = await ofCompany(context, access, async (connection, company) => {
          const today = new LocalCalendar(company.timeZone).dayOf(systemClock.nowMs());
          const of = parseMonth(month ?? "") ?? monthBefore(monthOf(today));
          const known = await clinics(connection, company);
          return monthOfClinics(companyQuery(connection, company.company), known.clinics, of);
        });
        terminal.show(json, rows, rows.map(describe));
        const open = new Set(rows.filter(needsAttention).map(({ name }) => name));
        if (open.size > 0) {
          throw new FlancoError("attention", `${open.size} clinics need attention: ${[...open].join(", ")}.`);
        }
      },
    ),
  ],
};

function describe({ name, waiting, now, settlement }: ClinicMonth["clinics"][number]): string {
  const behind = waiting === 0 ? [] : [`${waiting} entries are still to come`];
  if (settlement === null) {
    const here = `${now?.sales ?? 0} sales and ${now?.revenue ?? 0} here`;
    return `${name}\tnot closed\t${[here, ...behind].join(", ")}`;
  }
  const { figures, differs, isReplaced } = settlement;
  if (figures === null || differs === null) return `${name}\tclosed\tof a newer version`;
  const { number, closed, totals } = figures;
  const parts = [
    `settlement ${number} of ${iso(closed)}`,
    `${totals.sales} sales, net ${totals.net}, corrections ${totals.corrected.net}`,
    `clinic ${totals.due.clinic}, company ${totals.due.company}`,
    ...(differs.sales === 0 && differs.revenue === 0
      ? []
      : [`differs from here by ${differs.sales} sales and ${differs.revenue}`]),
    ...behind,
  ];
  return `${name}\t${isReplaced ? "replaced" : "closed"}\t${parts.join(", ")}`;
}

/** Where something was sold that is not settled, or another sum was settled than the database has. */
function needsAttention({ now, waiting, settlement }: ClinicMonth["clinics"][number]): boolean {
  if (settlement === null) return now?.sales !== 0 || waiting > 0;
  const { differs, isReplaced } = settlement;
  return !isReplaced && differs !== null && (differs.sales !== 0 || differs.revenue !== 0);
}
