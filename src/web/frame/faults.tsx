import { type FaultValues, faultTexts } from "../../text/faults.ts";
import type { Fault } from "../api/shapes.ts";
import { Notice } from "../element/notice.tsx";
import type { Format } from "../format/format.ts";
import { useGateway } from "../live/gateway.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee } from "../route.ts";

interface FaultListProps {
  readonly faults: readonly Fault[];
  /** So many are shown to a member whose role has the view of all of them; a link to that view stands below. */
  readonly most?: number;
}

/** What a person must see to, in plain words, the worst first as the server sends it; the server's own words behind a fold, for a technician. */
export function FaultList({ faults, most = faults.length }: FaultListProps) {
  const texts = useTexts(faultTexts);
  const { user, format } = useGateway();
  const seesAll = maySee(user, "state");
  const own = seesAll ? faults : faults.filter(({ severity }) => severity !== "note");
  const shown = seesAll ? most : own.length;
  const rest = own.length - shown;
  return (
    <>
      {own.slice(0, shown).map((fault, index) => (
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

const ALARMS: readonly Fault["severity"][] = ["grave", "alarm"];

function FaultNotice({ fault }: { readonly fault: Fault }) {
  const texts = useTexts(faultTexts);
  const { format, now } = useGateway();
  const faults: Readonly<Record<string, (typeof texts.faults)["disk_full"] | undefined>> = texts.faults;
  const known = faults[fault.code];
  const values = valuesOf(fault, format, now());
  return (
    <Notice
      kind={ALARMS.includes(fault.severity) ? "bad" : "warn"}
      title={known?.what(values) ?? texts.unknown}
    >
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
