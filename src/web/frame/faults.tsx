import type { Fault } from "../api/shapes.ts";
import { Notice } from "../element/notice.tsx";
import { useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee } from "../route.ts";

interface FaultListProps {
  readonly faults: readonly Fault[];
  /** So many are shown to a member whose role has the view of all of them; a link to that view stands below. */
  readonly most?: number;
}

/** What a person must see to, in plain words, the worst first as the server sends it; the server's own words behind a fold, for a technician. */
export function FaultList({ faults, most = faults.length }: FaultListProps) {
  const texts = useTexts(frameTexts).faults;
  const { self, format } = useGateway();
  const seesAll = maySee(self, "state");
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
  const texts = useTexts(frameTexts).faults;
  const { language } = useLanguage();
  const { format, now } = useGateway();
  const { what, todo } = fault.texts[language];
  return (
    <Notice kind={ALARMS.includes(fault.severity) ? "bad" : "warn"} title={what}>
      <p>{todo}</p>
      <details class="fault-details fine">
        <summary>
          {texts.details} · {texts.since(format.moment(fault.sinceMs, now()))}
        </summary>
        <p lang="en">
          {fault.message} {fault.hint}
        </p>
      </details>
    </Notice>
  );
}
