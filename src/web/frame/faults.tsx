import { type FaultValues, faultTexts } from "../../text/faults.ts";
import type { Fault } from "../api/shapes.ts";
import { Notice } from "../element/notice.tsx";
import type { Format } from "../format/format.ts";
import { useGateway } from "../live/gateway.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee } from "../route.ts";

/** Faults with which a clinic can go on working: they are warnings, not alarms. */
const MILD = [
  "disk_low",
  "backup_missing",
  "backup_old",
  "clock_untrusted",
  "records_unplaced",
  "clock_wrong",
  "queue_filling",
  "disk_slow",
];
/** With these nothing is lost, and only who has the view of the state can see to them. */
const TECHNICAL = ["disk_slow"];

interface FaultListProps {
  readonly faults: readonly Fault[];
  /** So many are shown to a member whose role has the view of all of them; a link to that view stands below. */
  readonly most?: number;
}

/** What a person must see to, in plain words, the worst first; the server's own words behind a fold, for a technician. */
export function FaultList({ faults, most = faults.length }: FaultListProps) {
  const texts = useTexts(faultTexts);
  const { user, format } = useGateway();
  const seesAll = maySee(user, "state");
  const inOrder = faults
    .filter(({ code }) => seesAll || !TECHNICAL.includes(code))
    .sort((a, b) => Number(isMild(a)) - Number(isMild(b)));
  const shown = seesAll ? most : inOrder.length;
  const rest = inOrder.length - shown;
  return (
    <>
      {inOrder.slice(0, shown).map((fault, index) => (
        <FaultNotice key={`${fault.code}-${index}`} fault={fault} />
      ))}
      {rest > 0 && (
        <p>
          <Link to="state">{texts.more(rest, format.count(rest))}</Link>
        </p>
      )}
    </>
  );
}

function isMild({ code }: Fault): boolean {
  return MILD.includes(code);
}

function FaultNotice({ fault }: { readonly fault: Fault }) {
  const texts = useTexts(faultTexts);
  const { format, now } = useGateway();
  const faults: Readonly<Record<string, (typeof texts.faults)["disk_full"] | undefined>> = texts.faults;
  const known = faults[fault.code];
  const values = valuesOf(fault, format, now());
  return (
    <Notice kind={isMild(fault) ? "warn" : "bad"} title={known?.what(values) ?? texts.unknown}>
      {known !== undefined && <p>{known.todo(values)}</p>}
      <details class="fault-details fine" open={known === undefined}>
        <summary>
          {texts.details} · {texts.since(format.moment(fault.sinceTime, now()))}
        </summary>
        <p lang="en">
          {fault.message} {fault.hint}
        </p>
      </details>
    </Notice>
  );
}

function valuesOf({ details }: Fault, format: Format, nowMs: number): FaultValues {
  const number = (name: string) => Number(details[name] ?? 0);
  return {
    number,
    count: (name) => format.count(number(name)),
    bytes: (name) => format.bytes(number(name)),
    moment: (name) => format.moment(number(name), nowMs),
    text: (name) => String(details[name] ?? ""),
  };
}
