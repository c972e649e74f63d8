import { seesMoney } from "../../domain/member.ts";
import type { AcceptanceReport } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Icon } from "../element/icon.tsx";
import { NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData, useLoaded } from "../live/use-loaded.ts";
import { commissionTexts } from "../messages/commission.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { Figures, LetterheadBlock, Seal, Signatures } from "../report/sheet.tsx";
import { Result } from "./rooms.tsx";

/** One acceptance report: on the screen, on paper with two signatures, and as JSON. */
export function AcceptanceView({ number }: { readonly number: string }) {
  const texts = useTexts(commissionTexts);
  const report = useData("/api/commission/report", [], { number });
  return (
    <ViewFrame
      title={texts.heading}
      actions={
        <>
          <Link to="commission" class="button button-quiet">
            {texts.back}
          </Link>
          <a
            class="button"
            href={`/api/commission/report?number=${encodeURIComponent(number)}`}
            download={`flanco-report-${number}.json`}
          >
            <Icon name="download" />
            {texts.json}
          </a>
          <Button kind="main" icon="print" onPress={() => print()}>
            {texts.print}
          </Button>
        </>
      }
    >
      <NotReadyPanel of={report} />
      {report.kind === "ready" && <Sheet report={report.value} />}
    </ViewFrame>
  );
}

function Sheet({ report }: { readonly report: AcceptanceReport }) {
  const texts = useTexts(commissionTexts);
  const { count, dateTime } = useFormat();
  const { provisional } = useTexts(elementTexts);
  const { number, time, begunTime, counts, rooms, lines, technician, clinic, hash } = report;
  const figures = (["good", "attention", "untested", "rooms"] as const).map(
    (name) => [texts.figures[name], count(counts[name])] as const,
  );
  return (
    <article class="panel report acceptance">
      <Head />
      <header class="report-head">
        <h2 class="big">
          {texts.heading} {texts.number(String(number))}
        </h2>
        <p class="soft capital">
          {texts.begun(dateTime(begunTime))} · {texts.made(dateTime(time))}
          {report.provisional && ` (${provisional})`}
        </p>
      </header>
      {lines.simulated && <p class="notice is-warn strong">{texts.simulated}</p>}
      <Figures figures={figures} main={texts.figures.good} />
      <RoomTable rooms={rooms} />
      <Gateway report={report} />
      <Seal hash={hash} texts={texts} />
      <Signatures
        signers={[
          [texts.technician, technician],
          [texts.clinic, clinic],
        ]}
      />
    </article>
  );
}

/** The letterhead, for a role that reads it; for others the gateway's name. */
function Head() {
  const { self, status } = useGateway();
  const mayRead = seesMoney(self.role);
  const letterhead = useLoaded(async (api) => (mayRead ? api.data("/api/letterhead") : null), "").value;
  if (letterhead !== undefined && letterhead !== null && letterhead.company !== "") {
    return <LetterheadBlock letterhead={letterhead} />;
  }
  return (
    <div class="letterhead beside">
      <strong>{status.value?.gateway.name}</strong>
    </div>
  );
}

function RoomTable({ rooms }: Pick<AcceptanceReport, "rooms">) {
  const texts = useTexts(commissionTexts);
  const { count } = useFormat();
  return (
    <DataTable
      class="report-table"
      caption={texts.rooms}
      rows={rooms}
      keyOf={({ dId, room }) => `${dId} ${room}`}
      columns={[
        {
          title: texts.columns.room,
          isName: true,
          cell: ({ room, deviceName }) => (
            <>
              {room} <span class="fine">{deviceName}</span>
            </>
          ),
        },
        { title: texts.columns.line, cell: ({ wired }) => wired?.line ?? "–" },
        { title: texts.columns.result, cell: (room) => <Result {...room} pending={texts.untested} /> },
        {
          title: texts.columns.bounce,
          isNumber: true,
          cell: ({ tick }) => {
            const measured = tick?.measured ?? null;
            if (measured === null || measured.edges === 0) return "–";
            const { mostEdges, longestMs } = measured;
            return mostEdges <= 1 ? texts.edgesNone : texts.edges(count(mostEdges), count(longestMs));
          },
        },
        {
          title: texts.columns.debounce,
          // Not on a phone, where the table has no room for it.
          class: "report-device",
          cell: ({ wired }) => (wired === null ? "–" : texts.ms(count(wired.debounceMs))),
        },
      ]}
    />
  );
}

/** The gateway at that moment. */
function Gateway({ report }: { readonly report: AcceptanceReport }) {
  const texts = useTexts(commissionTexts);
  const { count, dateTime } = useFormat();
  const { versions, lines, clock, backup, head, who, from } = report;
  return (
    <section class="report-remarks">
      <h3>{texts.gateway}</h3>
      <ul class="prose">
        <li>{texts.versions(versions.flanco, versions.node, versions.kernel)}</li>
        <li>{texts.lines(count(lines.watched), count(lines.wired))}</li>
        {lines.failures.map(({ line }) => (
          <li key={line}>{texts.failed(line)}</li>
        ))}
        <li>{texts.clock(dateTime(clock.time), clock.timeZone, clock.trusted)}</li>
        <li>
          {backup === null
            ? texts.noBackup
            : texts.backup(dateTime(backup.madeTime), dateTime(backup.provedTime))}
        </li>
        <li>
          {texts.headBefore} <code>{head}</code>
        </li>
        {who !== null && <li>{texts.byWhom(who, from)}</li>}
      </ul>
    </section>
  );
}
