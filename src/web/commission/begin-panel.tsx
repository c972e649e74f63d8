import { useState } from "preact/hooks";
import { HOUR_MS, MINUTE_MS } from "../../domain/clock.ts";
import { DEFAULT_COMMISSION_MS } from "../../domain/commission.ts";
import { beginCommission, loadAcceptanceReports } from "../api/commission.ts";
import { loadLines } from "../api/lines.ts";
import { CheckField, SelectField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { Notice } from "../element/notice.tsx";
import { isFree, linesOf, wiringName } from "../lines/board.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { commissionTexts } from "../messages/commission.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { addressOf } from "../route.ts";

const MINUTES = [HOUR_MS, DEFAULT_COMMISSION_MS, 4 * HOUR_MS, 8 * HOUR_MS].map((ms) => ms / MINUTE_MS);
/** As many as the API takes. */
const MAX_FREE_LINES = 64;

interface BeginProps {
  readonly onBegun: () => void;
}

/** Begins the round over all rooms. */
export function BeginPanel({ onBegun }: BeginProps) {
  const texts = useTexts(commissionTexts);
  const { api, format } = useGateway();
  const { form, isBusy, failure, submit } = useForm();
  const [minutes, setMinutes] = useState(DEFAULT_COMMISSION_MS / MINUTE_MS);
  const [withFree, setWithFree] = useState(true);
  const board = readyValue(useLoaded(loadLines, "lines").part);
  const free =
    board === undefined
      ? []
      : linesOf(board)
          .filter(isFree)
          .map((line) => wiringName(board, line));
  const send = async () => {
    const lines = withFree ? free.slice(0, MAX_FREE_LINES) : [];
    if (await submit(true, () => beginCommission(api, lines, minutes))) onBegun();
  };
  return (
    <section class="panel step-card commission-begin" aria-labelledby="commission-begin">
      <h2 id="commission-begin">{texts.begin.title}</h2>
      <p>{texts.begin.how}</p>
      <Form form={form} onSubmit={send}>
        <SelectField
          label={texts.begin.for}
          value={String(minutes)}
          choices={MINUTES.map((each) => ({ value: String(each), text: format.duration(each * MINUTE_MS) }))}
          onValue={(value) => setMinutes(Number(value))}
          hint={texts.begin.forHint}
        />
        {free.length > 0 && (
          <CheckField
            label={texts.begin.free(format.count(Math.min(free.length, MAX_FREE_LINES)))}
            isChecked={withFree}
            onCheck={setWithFree}
          />
        )}
        <FormFailure failure={failure} />
        <FormActions isBusy={isBusy} text={texts.begin.action} />
      </Form>
    </section>
  );
}

/** A test that ended by itself: the round goes on where it was. */
export function PausedPanel({ freeLines, onBegun }: BeginProps & { readonly freeLines: readonly string[] }) {
  const texts = useTexts(commissionTexts);
  const { api } = useGateway();
  const { form, isBusy, failure, submit } = useForm();
  const send = async () => {
    const minutes = DEFAULT_COMMISSION_MS / MINUTE_MS;
    if (await submit(true, () => beginCommission(api, freeLines, minutes))) onBegun();
  };
  return (
    <Notice kind="warn" title={texts.paused}>
      <p>{texts.pausedDetail}</p>
      <Form form={form} onSubmit={send}>
        <FormFailure failure={failure} />
        <FormActions isBusy={isBusy} text={texts.goOn} />
      </Form>
    </Notice>
  );
}

/** The reports of before, newest first. */
export function ReportList() {
  const texts = useTexts(commissionTexts);
  const { count, dateTime } = useFormat();
  const reports = readyValue(useLoaded(loadAcceptanceReports, "reports", ["commission"]).part) ?? [];
  if (reports.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="commission-reports">
      <h2 id="commission-reports">{texts.reports}</h2>
      <ul class="commission-rooms">
        {reports.map(({ number, time, technician, clinic, good, rooms }) => (
          <li key={number} class="commission-report">
            <Link to={addressOf("commission", { report: String(number) })}>
              {texts.reportOf(dateTime(time))}
            </Link>
            <span>{texts.counts(count(good), count(rooms))}</span>
            <span class="soft words">
              {technician} · {clinic}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
