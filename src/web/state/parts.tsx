import type { ComponentChildren } from "preact";
import type { FaultCode } from "../../domain/fault.ts";
import type { Gap, Status } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { ageText } from "../format/format.ts";
import { useFormat } from "../live/gateway.ts";
import { stateTexts } from "../messages/state.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { incidentsOf } from "../report/incidents.ts";
import { IncidentItems } from "../report/report-sheet.tsx";

interface PartProps {
  readonly title: string;
  /** Undefined where it could not be read. */
  readonly answer: string | undefined;
  /** `bad` and `warn` say that the answer is not as it should be. */
  readonly kind?: "well" | "warn" | "bad" | "off";
  /** What it means, in sentences. */
  readonly children?: ComponentChildren;
  /** What can be done about it. */
  readonly actions?: ComponentChildren;
}

/** One part of the gateway. What is not as it should be stands first, by its style. */
export function Part({ title, answer, kind = "well", children, actions }: PartProps) {
  return (
    <li class={`part part-${kind}`}>
      <Icon name={kind === "well" ? "done" : kind === "off" ? "info" : "warning"} />
      <h3>{title}</h3>
      <div class="part-text">
        <p class="part-answer strong">{answer}</p>
        <div class="part-detail fine">{children}</div>
        {actions}
      </div>
    </li>
  );
}

/** A part agrees with the verdict above it: it is marked where a fault says so. */
function has({ faults }: Status, codes: readonly FaultCode[]): boolean {
  return faults.some(({ code }) => codes.some((known) => known === code));
}

export function BackupPart({ status }: { readonly status: Status }) {
  const { lastBackup: backup } = status;
  const kind = has(status, ["backup_missing", "backup_failed", "backup_old"]) ? "warn" : "well";
  const texts = useTexts(stateTexts);
  const format = useFormat();
  if (backup === null) {
    return (
      <Part title={texts.backup} answer={texts.backupNone} kind={kind}>
        <p>{texts.backupNoneDetail}</p>
      </Part>
    );
  }
  const { ageMs, provedTime } = backup;
  return (
    <Part
      title={texts.backup}
      answer={ageMs === null ? texts.backupAgeUnknown : texts.backupAge(ageText(ageMs, texts, format))}
      kind={kind}
    >
      <p>{texts.backupProved(format.dateTime(provedTime))}</p>
    </Part>
  );
}

/** Whether the gateway's clock is set, and how many records have an uncertain time. */
export function ClockPart({ status }: { readonly status: Status }) {
  const { clock, timeZone, provisional } = status;
  const texts = useTexts(stateTexts);
  const format = useFormat();
  const { waiting, unplaced } = provisional;
  return (
    <Part
      title={texts.clock}
      answer={clock.trusted ? texts.clockTrusted : texts.clockUntrusted}
      kind={!clock.trusted ? "bad" : has(status, ["clock_off"]) ? "warn" : "well"}
    >
      {!clock.trusted && <p>{texts.clockUntrustedDetail}</p>}
      {clock.trustedSince !== null && <p>{texts.clockTrustedSince(format.dateTime(clock.trustedSince))}</p>}
      {waiting > 0 && <p>{texts.clockWaiting(format.count(waiting))}</p>}
      {unplaced > 0 && <p>{texts.clockUnplaced(format.count(unplaced))}</p>}
      <p>
        {format.dateTime(clock.time)} · {texts.clockZone(timeZone)}
      </p>
    </Part>
  );
}

/** A card whose life is used to more than this is beyond it. */
const BEYOND_PERCENT = 100;

export function DiskPart({ status }: { readonly status: Status }) {
  const { disk, machine } = status;
  const texts = useTexts(stateTexts);
  const format = useFormat();
  if (disk === null) return <Part title={texts.disk} answer={texts.diskUnknown} />;
  const { freeBytes, totalBytes, ledgerBytes, logBytes, card } = disk;
  const isWell =
    disk.level === "good" && (card === null || card.level === "good") && !has(status, ["disk_slow"]);
  return (
    <Part title={texts.disk} answer={texts.diskFree(format.bytes(freeBytes))} kind={isWell ? "well" : "warn"}>
      <progress value={totalBytes - freeBytes} max={totalBytes} aria-hidden="true" />
      <p>
        {texts.diskOf(format.bytes(totalBytes))} {texts.diskLedger(format.bytes(ledgerBytes + logBytes))}
      </p>
      {machine.syncMs !== null && <p>{texts.diskSpeed(format.count(machine.syncMs))}</p>}
      {card !== null && <p>{cardText(card, texts, format.percent)}</p>}
    </Part>
  );
}

/** What the machine's sensors say, and by which name it is found. */
export function MachinePart({ status }: { readonly status: Status }) {
  const { temperature, memory, isVoltageLow, fileSystemErrors, announcedName } = status.machine;
  const texts = useTexts(stateTexts);
  const format = useFormat();
  const isWell = !has(status, ["too_hot", "memory_low", "voltage_low", "file_system_errors"]);
  return (
    <Part
      title={texts.machine}
      answer={isWell ? texts.machineFine : texts.machineAttention}
      kind={isWell ? "well" : "warn"}
    >
      {temperature !== null && <p>{texts.temperature(format.count(temperature))}</p>}
      {memory !== null && (
        <p>{texts.memory(format.bytes(memory.availableBytes), format.bytes(memory.totalBytes))}</p>
      )}
      {isVoltageLow !== null && <p>{texts.voltage(isVoltageLow)}</p>}
      {fileSystemErrors !== null && <p>{texts.fileSystem(format.count(fileSystemErrors))}</p>}
      <p>{announcedName === null ? texts.unannounced : texts.announced(announcedName)}</p>
    </Part>
  );
}

type Card = NonNullable<NonNullable<Status["disk"]>["card"]>;

function cardText(card: Card, texts: typeof stateTexts.es, percent: (share: number) => string): string {
  const { lifeUsedPercent, spareBlocks } = card;
  const parts: string[] = [];
  if (lifeUsedPercent !== null) {
    parts.push(
      lifeUsedPercent > BEYOND_PERCENT ? texts.cardBeyond : texts.cardUsed(percent(lifeUsedPercent / 100)),
    );
  }
  if (spareBlocks !== null) parts.push(texts.cardSpare[spareBlocks]);
  return parts.length === 0 ? texts.cardUnknown : `${texts.card}: ${parts.join(". ")}.`;
}

/** So many of the newest are told. */
const MAX_INCIDENTS = 5;

export function GapPart({ status, newest }: { readonly status: Status; readonly newest: readonly Gap[] }) {
  const { gaps, gapsLast30Days } = status;
  const texts = useTexts(stateTexts);
  const format = useFormat();
  const incidents = incidentsOf(newest).slice(-MAX_INCIDENTS).reverse();
  const [last] = incidents;
  return (
    <Part
      title={texts.gaps}
      answer={gaps === 0 ? texts.gapsNone : last && texts.gapsLast(format.dateTime(last.fromTime))}
      kind={has(status, ["edges_lost", "line_outage"]) ? "warn" : "well"}
    >
      {gaps === 0 ? (
        <p>{texts.gapsNoneDetail}</p>
      ) : (
        <>
          <ul class="part-detail">
            <IncidentItems incidents={incidents} />
          </ul>
          <p>{texts.gapsCount(format.count(gaps), format.count(gapsLast30Days))}</p>
        </>
      )}
    </Part>
  );
}

export function ProgramPart({
  status: { version, uptimeMs, driver, newerPackage: newer },
}: {
  readonly status: Status;
}) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  return (
    <Part title={texts.program} answer={texts.version(version)}>
      <p>{texts.uptime(ageText(uptimeMs, texts, format))}</p>
      <p>{texts.driver(texts.drivers[driver])}</p>
      {newer !== null && <NewerPackage newer={newer} />}
    </Part>
  );
}

/** What installs it is a command on the gateway: a page that could do it would be a way to run any program there. */
function NewerPackage({ newer }: { readonly newer: NonNullable<Status["newerPackage"]> }) {
  const texts = useTexts(stateTexts);
  const { language } = useLanguage();
  const { version, source, file, notes, command } = newer;
  return (
    <div class="newer stack">
      <p>
        <strong>{texts.newer(version)}</strong> {source === "apt" ? texts.newerInApt : texts.newerOnDisk}
      </p>
      {file !== null && <p class="words">{file}</p>}
      {notes[language] !== "" && <p class="newer-notes">{notes[language]}</p>}
      <p>
        {source === "apt" ? texts.newerCheckedByApt : texts.newerUnchecked} {texts.newerInstall}
      </p>
      <code>{command}</code>
    </div>
  );
}

/** The queues of what is still to be stored. */
export function QueuePart({ queues: { edges, writes } }: { readonly queues: Status["queues"] }) {
  const texts = useTexts(stateTexts);
  const { count } = useFormat();
  const waiting = edges.waiting + writes.waiting;
  const isWell = edges.level === "good" && writes.level === "good";
  return (
    <Part
      title={texts.work}
      answer={waiting === 0 ? texts.workNone : texts.workWaiting(count(waiting))}
      kind={isWell ? "well" : "bad"}
    >
      {waiting === 0 ? (
        <p>{texts.workNoneDetail}</p>
      ) : (
        <>
          <p>{texts.workEdges(count(edges.waiting), count(edges.limit))}</p>
          <p>{texts.workWrites(count(writes.waiting), count(writes.limit))}</p>
        </>
      )}
    </Part>
  );
}
