import type { Status } from "../api/status.ts";
import { Icon } from "../element/icon.tsx";
import { Unread } from "../element/nothing.tsx";
import { FaultList } from "../frame/faults.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useNews, useVisit } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { AuditPanel } from "./audit-panel.tsx";
import { BackupCard } from "./backup-card.tsx";
import { ClockCard } from "./clock-card.tsx";
import { DiskCard } from "./disk-card.tsx";
import { GapCard } from "./gap-card.tsx";
import { LineCard } from "./line-card.tsx";
import { ProgramCard } from "./program-card.tsx";
import { QueueCard } from "./queue-card.tsx";

/** How the gateway is, in plain words: first whether anything must be seen to, then all of it. */
export function StateView() {
  const texts = useTexts(stateTexts);
  const { status, reloadStatus } = useVisit();
  useNews((event) => {
    if (event.kind !== "behind") reloadStatus();
  });
  return (
    <ViewFrame title={texts.title}>
      {status.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reloadStatus} />
        </section>
      )}
      {status.kind === "ready" && <Whole status={status.value} />}
    </ViewFrame>
  );
}

function Whole({ status }: { readonly status: Status }) {
  return (
    <>
      <Verdict status={status} />
      {status.faults.length > 0 && <FaultList faults={status.faults} />}
      <div class="state-cards">
        <BackupCard backup={status.lastBackup} />
        <GapCard status={status} />
        <DiskCard disk={status.disk} />
        <ClockCard status={status} />
        <QueueCard queues={status.queues} />
        <ProgramCard status={status} />
      </div>
      <LineCard status={status} />
      <AuditPanel />
    </>
  );
}

/** The one answer that most people come for. */
function Verdict({ status }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { time, count, money } = useFormat();
  const { faults, clock, today } = status;
  const isWell = faults.length === 0;
  return (
    <section class={isWell ? "panel verdict" : "panel verdict verdict-bad"}>
      <span class="verdict-sign">
        <Icon name={isWell ? "done" : "warning"} />
      </span>
      <div class="verdict-text" role="status">
        <h2>{isWell ? texts.well : texts.trouble(faults.length)}</h2>
        <p>{texts.asOf(time(clock.timeMs))}</p>
      </div>
      <dl class="verdict-today">
        <dt>{texts.today}</dt>
        <dd>{money(today.revenue)}</dd>
        <dd class="soft">{texts.todaySales(count(today.sales), today.sales === 1)}</dd>
      </dl>
    </section>
  );
}
