import type { ComponentChildren } from "preact";
import type { Fault, Gap, Status } from "../api/shapes.ts";
import { Icon } from "../element/icon.tsx";
import { ageText, type Format } from "../format/format.ts";
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
  /** What it means, a sentence or two each; what is false does not apply. */
  readonly says?: readonly (string | false)[];
  /** What is no sentence. */
  readonly children?: ComponentChildren;
  /** What can be done about it. */
  readonly actions?: ComponentChildren;
}

/** One part of the gateway. What is not as it should be stands first, by its style. */
export function Part({ title, answer, kind = "well", says = [], children, actions }: PartProps) {
  return (
    <li class={`part is-${kind}`}>
      <Icon name={kind === "well" ? "done" : kind === "off" ? "info" : "warning"} />
      <h3>{title}</h3>
      <div class="part-text stack">
        <p class="part-answer strong">{answer}</p>
        <div class="stack fine">
          {says.map((text) => text !== false && <p key={text}>{text}</p>)}
          {children}
        </div>
        {actions}
      </div>
    </li>
  );
}

/** What parts are told of. */
interface StateFacts {
  readonly status: Status;
  readonly gaps: readonly Gap[];
  readonly texts: typeof stateTexts.es;
  readonly format: Format;
}

const PARTS: readonly ((known: StateFacts) => PartProps)[] = [
  backupPart,
  gapPart,
  diskPart,
  clockPart,
  queuePart,
  machinePart,
  programPart,
];

/** Every part of the gateway; `gaps` are the newest. */
export function GatewayParts(props: Pick<StateFacts, "status" | "gaps">) {
  const known = { ...props, texts: useTexts(stateTexts), format: useFormat() };
  return (
    <ul class="lines ruled">
      {PARTS.map((partOf) => partOf(known)).map((part) => (
        <Part key={part.title} {...part} />
      ))}
    </ul>
  );
}

/** A part agrees with the verdict above it: it is marked where a fault says so. */
function kindBy({ faults }: Status, ...checks: readonly Fault["check"][]): "well" | "warn" {
  return faults.some(({ check }) => checks.includes(check)) ? "warn" : "well";
}

function backupPart({ status, texts, format }: StateFacts): PartProps {
  const kind = kindBy(status, "backup");
  const title = texts.backup;
  if (status.lastBackup === null) {
    return { title, kind, answer: texts.backupNone, says: [texts.backupNoneDetail] };
  }
  const { ageMs, provedMs } = status.lastBackup;
  const outsideMs = status.sinks.find(({ name }) => name === "remote")?.backup?.ageMs ?? null;
  const answer = ageMs === null ? texts.backupAgeUnknown : texts.backupAge(ageText(ageMs, texts, format));
  return {
    title,
    kind,
    answer,
    says: [
      texts.backupProved(format.dateTime(provedMs)),
      outsideMs !== null && texts.backupOutside(ageText(outsideMs, texts, format)),
    ],
  };
}

/** Whether the gateway's clock is set, and how many records have an uncertain time. */
function clockPart({ status, texts, format }: StateFacts): PartProps {
  const { clock, timeZone, provisional } = status;
  const { waiting, unplaced } = provisional ?? { waiting: 0, unplaced: 0 };
  return {
    title: texts.clock,
    answer: clock.trusted ? texts.clockTrusted : texts.clockUntrusted,
    kind: clock.trusted ? kindBy(status, "clock") : "bad",
    says: [
      !clock.trusted && texts.clockUntrustedDetail,
      clock.trustedSinceMs !== null && texts.clockTrustedSince(format.dateTime(clock.trustedSinceMs)),
      clock.trusted && clock.trustedSinceMs === null && texts.clockTrustedBySetting,
      waiting > 0 && texts.clockWaiting(format.count(waiting)),
      unplaced > 0 && texts.clockUnplaced(format.count(unplaced)),
      `${format.dateTime(clock.nowMs)} · ${texts.clockZone(timeZone)}`,
    ],
  };
}

/** A card whose life is used to more than this is beyond it. */
const BEYOND_PERCENT = 100;

function diskPart({ status, texts, format }: StateFacts): PartProps {
  const { disk, machine } = status;
  const title = texts.disk;
  if (disk === null) return { title, answer: texts.diskUnknown };
  const { freeBytes, totalBytes, ledgerBytes, logBytes, card } = disk;
  return {
    title,
    answer: texts.diskFree(format.bytes(freeBytes)),
    kind: kindBy(status, "disk", "card"),
    says: [
      [
        texts.diskOf(format.bytes(totalBytes)),
        ...(ledgerBytes === null ? [] : [texts.diskLedger(format.bytes(ledgerBytes + (logBytes ?? 0)))]),
      ].join(" "),
      machine.syncMs !== null && texts.diskSpeed(format.count(machine.syncMs)),
      card !== null && cardText(card, texts, format.percent),
      machine.fileSystemErrors !== null && texts.fileSystem(format.count(machine.fileSystemErrors)),
    ],
    children: <progress value={totalBytes - freeBytes} max={totalBytes} aria-hidden="true" />,
  };
}

/** What the machine's sensors say, and by which name it is found. */
function machinePart({ status, texts, format }: StateFacts): PartProps {
  const { temperature, memory, isVoltageLow, announcedName } = status.machine;
  const kind = kindBy(status, "temperature", "memory", "power");
  return {
    title: texts.machine,
    answer: kind === "well" ? texts.machineFine : texts.machineAttention,
    kind,
    says: [
      temperature !== null && texts.temperature(format.count(temperature)),
      memory !== null && texts.memory(format.bytes(memory.availableBytes), format.bytes(memory.totalBytes)),
      isVoltageLow !== null && texts.voltage(isVoltageLow),
      announcedName === null ? texts.unannounced : texts.announced(announcedName),
    ],
  };
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

function gapPart({ status, gaps: newest, texts, format }: StateFacts): PartProps {
  const { all, last30Days } = status.gaps;
  const title = texts.gaps;
  if (all === 0) return { title, answer: texts.gapsNone, says: [texts.gapsNoneDetail] };
  // What was lost is nothing that is well, also once no fault tells of it any more.
  const kind = last30Days > 0 ? "warn" : "off";
  const incidents = incidentsOf(newest).slice(-MAX_INCIDENTS).reverse();
  const [last] = incidents;
  return {
    title,
    kind,
    answer: last && texts.gapsLast(format.dateTime(last.fromTime)),
    says: [texts.gapsCount(format.count(all), format.count(last30Days))],
    children: (
      <ul class="stack">
        <IncidentItems incidents={incidents} />
      </ul>
    ),
  };
}

function programPart({ status, texts, format }: StateFacts): PartProps {
  const { version, uptimeMs, driver, newerPackage: newer, updates } = status;
  const comes = newer?.source === "apt" && updates !== null && updates.hours !== "";
  return {
    title: texts.program,
    answer: texts.version(version),
    says: [texts.uptime(ageText(uptimeMs, texts, format)), texts.driver(texts.drivers[driver])],
    children: newer !== null && <NewerPackage newer={newer} comes={comes} />,
  };
}

interface NewerPackageProps {
  readonly newer: NonNullable<Status["newerPackage"]>;
  /** Whether it is installed by itself. */
  readonly comes: boolean;
}

/** What installs it is a command on the gateway: a page that could do it would be a way to run any program there. */
function NewerPackage({ newer, comes }: NewerPackageProps) {
  const texts = useTexts(stateTexts);
  const { language } = useLanguage();
  const { version, source, file, notes, command } = newer;
  return (
    <div class="stack">
      <p>
        <strong>{texts.newer(version)}</strong> {source === "apt" ? texts.newerInApt : texts.newerOnDisk}
      </p>
      {file !== null && <p class="words">{file}</p>}
      {notes[language] !== "" && <p class="newer-notes">{notes[language]}</p>}
      {comes && <p>{texts.newerComes}</p>}
      <p>
        {source === "apt" ? texts.newerCheckedByApt : texts.newerUnchecked} {texts.newerInstall}
      </p>
      <code>{command}</code>
    </div>
  );
}

/** The queues of what is still to be stored. */
function queuePart({ status: { queues, faults }, texts, format: { count } }: StateFacts): PartProps {
  const { edges, writes } = queues;
  const isWell = !faults.some(({ code }) => code === "queue_filling" || code === "edges_refused");
  const kind = isWell ? "well" : "bad";
  const title = texts.work;
  // A role without money is told no number.
  if (edges.waiting === null || writes.waiting === null) {
    return { title, kind, answer: isWell ? texts.workKeepsUp : texts.workBehind };
  }
  const waiting = edges.waiting + writes.waiting;
  return {
    title,
    answer: waiting === 0 ? texts.workNone : texts.workWaiting(count(waiting)),
    kind,
    says:
      waiting === 0
        ? [texts.workNoneDetail]
        : [
            texts.workEdges(count(edges.waiting), count(edges.limit)),
            texts.workWrites(count(writes.waiting), count(writes.limit)),
          ],
  };
}
