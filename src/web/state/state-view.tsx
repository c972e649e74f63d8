import type { Gap, GapsAnswer, Status } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { FailedPanel } from "../element/notice.tsx";
import { FaultList } from "../frame/faults.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { GatewayMark } from "../frame/wordmark.tsx";
import { useFormat, useGateway, useGatewayStatus, useLiveEvents } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";
import { MovePanel } from "./move.tsx";
import { BackupPart, ClockPart, DiskPart, GapPart, MachinePart, ProgramPart, QueuePart } from "./parts.tsx";
import { SendingPanel } from "./sending.tsx";
import { AuditPanel, LineCard } from "./tables.tsx";

/** The gateway's state: first whether anything needs attention, then every part. */
export function StateView() {
  const texts = useTexts(stateTexts);
  const { reloadStatus } = useGateway();
  const status = useGatewayStatus();
  const gaps = useLoaded(async (api) => (await api.get<GapsAnswer>("/api/gap")).data, "gaps", ["gap"]);
  useLiveEvents((event) => {
    if (event.kind !== "missed") reloadStatus();
  });
  return (
    <ViewFrame title={texts.title}>
      <FailedPanel part={status} onRetry={reloadStatus} />
      {/* At once: what came later would push away what is being read. */}
      {status.kind === "ready" && gaps.part.kind !== "waiting" && (
        <Whole status={status.value} gaps={readyValue(gaps.part) ?? []} />
      )}
    </ViewFrame>
  );
}

function Whole({ status, gaps }: { readonly status: Status; readonly gaps: readonly Gap[] }) {
  const texts = useTexts(stateTexts);
  const { user } = useGateway();
  return (
    <>
      <Verdict status={status} />
      {status.faults.length > 0 && <FaultList faults={status.faults} />}
      <section class="panel" aria-labelledby="state-parts">
        <h2 id="state-parts">{texts.parts}</h2>
        <ul class="parts">
          <BackupPart status={status} />
          <GapPart status={status} newest={gaps} />
          <DiskPart status={status} />
          <ClockPart status={status} />
          <QueuePart queues={status.queues} />
          <MachinePart status={status} />
          <ProgramPart status={status} />
        </ul>
      </section>
      {status.otherGateways.length > 0 && <OtherGateways others={status.otherGateways} />}
      <SendingPanel sinks={status.sinks} />
      <LineCard status={status} />
      {user.role === "owner" && <MovePanel />}
      {user.role === "owner" && <AuditPanel />}
    </>
  );
}

/** Each leads to its own page, which has its own sign-in. */
function OtherGateways({ others }: { readonly others: Status["otherGateways"] }) {
  const texts = useTexts(stateTexts);
  return (
    <section class="panel" aria-labelledby="state-others">
      <h2 id="state-others">{texts.others}</h2>
      <ul class="others">
        {others.map((other) => (
          <li key={other.address}>
            <GatewayMark mark={other} />
            <a href={other.address} rel="noreferrer">
              {other.address}
            </a>
          </li>
        ))}
      </ul>
      <p class="fine">{texts.othersDetail}</p>
    </section>
  );
}

/** Whether anything needs attention, and what was sold today. */
function Verdict({ status }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { time, count, money } = useFormat();
  const { faults, clock, recordsToday: today } = status;
  const isWell = faults.length === 0;
  return (
    <section class={isWell ? "panel verdict" : "panel verdict verdict-bad"}>
      <span class="verdict-sign">
        <Icon name={isWell ? "done" : "warning"} />
      </span>
      <div class="verdict-text" role="status">
        <h2>{isWell ? texts.well : texts.trouble(faults.length)}</h2>
        <p class="soft">{texts.asOf(time(clock.time))}</p>
      </div>
      {today !== null && (
        <dl class="verdict-today">
          <dt class="fine">{texts.today}</dt>
          <dd>{money(today.revenue)}</dd>
          <dd class="soft">{texts.todaySales(count(today.sales), today.sales === 1)}</dd>
        </dl>
      )}
    </section>
  );
}
