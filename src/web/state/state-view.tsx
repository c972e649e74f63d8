import { useState } from "preact/hooks";
import { SINK_NAMES } from "../../domain/sink.ts";
import type { AuditEntry, Status } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Icon } from "../element/icon.tsx";
import { Moment } from "../element/moment.tsx";
import { Nothing, NotReady, NotReadyPanel, OnTag, Panel } from "../element/notice.tsx";
import { FaultList } from "../frame/faults.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useGatewayStatus, useLiveEvents } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { auditTexts } from "../messages/audit.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee } from "../route.ts";
import { GatewayParts } from "./parts.tsx";
import { type Recovery, RemoteSheet } from "./remote-sheet.tsx";
import { SendingPanel } from "./sending.tsx";

/** The gateway's state: first whether anything needs attention, then every part. */
export function StateView() {
  const texts = useTexts(stateTexts);
  const sending = useTexts(sinkTexts);
  const { self, reloadStatus } = useGateway();
  const known = useGatewayStatus();
  const gaps = useData("/api/gap", ["gap", "record", "void"]);
  const [recovery, setRecovery] = useState<Recovery | null>(null);
  const status = known.value;
  useLiveEvents((event) => {
    if (event.kind !== "missed") reloadStatus();
  });
  if (recovery !== null) return <RemoteSheet recovery={recovery} onDone={() => setRecovery(null)} />;
  return (
    <ViewFrame title={texts.title}>
      <NotReadyPanel
        of={known.kind === "ready" && gaps.kind === "waiting" ? gaps : { ...known, reload: reloadStatus }}
      />
      {/* At once: what came later would push away what is being read. */}
      {status !== undefined && gaps.kind !== "waiting" && (
        <>
          <Verdict status={status} />
          {status.faults.length > 0 && <FaultList faults={status.faults} />}
          <Panel
            title={texts.parts}
            beside={
              <a class="button button-quiet" href={texts.guideAddress}>
                {texts.guide}
              </a>
            }
          >
            <GatewayParts status={status} gaps={gaps.value ?? []} />
          </Panel>
          {status.otherGateways.length > 0 && <OtherGateways others={status.otherGateways} />}
          <SendingPanel
            title={sending.title}
            intro={sending.intro}
            // What people and programs are told has a view of its own, which a technician does not see.
            names={maySee(self, "notices") ? ["remote"] : SINK_NAMES}
            sinks={status.sinks}
            updates={status.updates}
            onRecovery={setRecovery}
          />
          <LineCard status={status} />
          {self.role === "owner" && <AuditPanel />}
        </>
      )}
    </ViewFrame>
  );
}

/** Each leads to its own page, which has its own sign-in. */
function OtherGateways({ others }: { readonly others: Status["otherGateways"] }) {
  const texts = useTexts(stateTexts);
  return (
    <Panel title={texts.others}>
      <ul>
        {others.map((other) => (
          <li key={other.address} class="row">
            <span class="clip">{other.name}</span>
            <a class="button button-quiet" href={other.address} rel="noreferrer">
              {other.address}
            </a>
          </li>
        ))}
      </ul>
      <p class="fine">{texts.othersDetail}</p>
    </Panel>
  );
}

/** Whether anything needs attention, and what was sold today. */
function Verdict({ status }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { time, count, money } = useFormat();
  const { faults, clock, today, gaps } = status;
  const isWell = faults.length === 0;
  return (
    <section class={isWell ? "panel verdict row" : "panel verdict row is-bad"}>
      <span class="verdict-sign disc">
        <Icon name={isWell ? "done" : "warning"} />
      </span>
      <div class="verdict-text">
        {/* Without the time, which would be read aloud each minute. */}
        <div role="status">
          <h2 class="big">
            {isWell
              ? gaps.last30Days > 0
                ? texts.wellNow
                : texts.well
              : texts.trouble(count(faults.length))}
          </h2>
        </div>
        <p class="soft">{texts.asOf(time(clock.nowMs))}</p>
      </div>
      {today !== null && (
        <dl class="verdict-today">
          <dt class="fine">{texts.today}</dt>
          <dd>{money(today.revenue)}</dd>
          <dd class="soft">{texts.todaySales(count(today.sales))}</dd>
        </dl>
      )}
    </section>
  );
}

function LineCard({ status: { linesWired, linesWatched, lastEdges } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const { count, compare } = useFormat();
  const isWell = linesWatched === linesWired;
  return (
    <Panel
      title={texts.lines}
      beside={
        linesWired > 0 && (
          <span class={isWell ? "tag" : "tag is-bad"}>
            {texts.linesWatched(count(linesWatched), count(linesWired))}
          </span>
        )
      }
    >
      {lastEdges.length === 0 && <Nothing title={texts.linesNone} detail={texts.linesNoneDetail} />}
      {lastEdges.length > 0 && (
        <DataTable
          caption={texts.lastEdges}
          rows={[...lastEdges].sort((one, other) => compare(one.line, other.line))}
          keyOf={(edge) => edge.line}
          columns={[
            { title: texts.line, isName: true, cell: (edge) => edge.line },
            {
              title: texts.room,
              cell: (edge) => (
                <span>
                  {edge.room} <span class="soft">{edge.deviceName}</span>
                </span>
              ),
            },
            {
              title: texts.level,
              cell: ({ active }) =>
                active === null ? <span class="soft">{texts.never}</span> : <OnTag isOn={active} />,
            },
            {
              title: texts.lastChange,
              cell: ({ timeMs, provisional }) =>
                timeMs === null ? "–" : <Moment timeMs={timeMs} isProvisional={provisional} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

const SHOWN_ENTRIES = 12;
/** What of an entry's values is money. */
const AMOUNTS = ["valor", "valorBefore"];

/** Entries whose number is a record's. */
const ABOUT_RECORDS: readonly AuditEntry["kind"][] = ["record_voided", "sale_added", "record_refunded"];

function AuditPanel() {
  const texts = useTexts(auditTexts);
  const { money } = useFormat();
  const entries = useData("/api/audit", ["void", "locations"], { limit: String(SHOWN_ENTRIES) });
  const what = ({ kind, details }: AuditEntry) => {
    const textOf = Object.entries(texts.kinds).find(([known]) => known === kind)?.[1];
    if (textOf === undefined) return kind;
    const text = textOf((name) => {
      const value = details[name];
      if (typeof value === "number" && AMOUNTS.includes(name)) return money(value);
      return value === undefined ? "" : String(value);
    });
    if (!ABOUT_RECORDS.includes(kind)) return text;
    return (
      <Link to="records" query={{ number: String(details["number"] ?? "") }}>
        {text}
      </Link>
    );
  };
  if (entries.kind === "waiting") return null;
  return (
    <Panel title={texts.title}>
      <p class="soft">{texts.intro}</p>
      <NotReady of={entries} />
      {entries.value?.length === 0 && <Nothing title={texts.none} />}
      {entries.value !== undefined && entries.value.length > 0 && (
        <DataTable
          caption={texts.title}
          rows={entries.value}
          keyOf={({ time, kind, number, from }) => `${time} ${kind} ${number ?? from}`}
          columns={[
            { title: texts.what, isName: true, cell: what },
            { title: texts.who, cell: (entry) => actorText(entry, texts) },
            {
              title: texts.when,
              cell: ({ time, provisional }) => <Moment timeMs={time} isProvisional={provisional} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function actorText({ way, who, from }: AuditEntry, texts: (typeof auditTexts)["es"]): string {
  if (way === "service") return texts.byService;
  if (way === "command") return texts.byCommand(from);
  return [who ?? texts.somebody, ...(from === "" ? [] : [texts.fromAddress(from)])].join(" ");
}
