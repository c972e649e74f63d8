import { createHash } from "node:crypto";
import type { Config } from "../contract/config/schema.ts";
import type { SinkSettingsOf } from "../contract/sink.ts";
import { type Cancel, type Clock, HOUR_MS, MINUTE_MS, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError, messageOf, withHint } from "../domain/error.ts";
import { BEGUN_MS, OVER_MS } from "../domain/fault.ts";
import { CLINIC_STATE_NAMES, type ClinicState } from "../domain/gateway.ts";
import { bilingual, type Language, LOCALES } from "../domain/language.ts";
import type { Log } from "../domain/log.ts";
import type { Notice, NoticeKind } from "../domain/notice.ts";
import { fileKeyOf, isHidden, SETUP_FIELDS, type SetupName, type Sink } from "../domain/sink.ts";
import { shownText } from "../domain/text.ts";
import type { Connection } from "../notify/database.ts";
import { EmailSink } from "../notify/email.ts";
import { WebhookSink } from "../notify/webhook.ts";
import { setupIn } from "../service/sink-settings.ts";
import { textsOf, type WatchedClinic } from "./clinic.ts";
import { type Company, clinics } from "./company.ts";
import type { Database } from "./connection-pool.ts";

const LOOK_MS = MINUTE_MS;
/** How long a sink may take that names no other time. The delivery holds a transaction open meanwhile. */
const DELIVER_MS = 30 * SECOND_MS;
/** A gateway that comes back after a week needs an hour or so for what it has to send. */
const BEHIND_MS = 2 * HOUR_MS;
/** The most clinics that a notice names. */
const MAX_NAMED = 50;
/** A state of a clinic that people were told of, or will be. Times are those of the database. */
export interface ToldState {
  readonly clinic: string;
  readonly state: ClinicState;
  readonly sinceMs: number;
  /** Null before they were. */
  readonly toldMs: number | null;
  /** Since when it is over; null while it lasts. */
  readonly goneMs: number | null;
}

/** Finds what people are to be told: each state once when it has lasted, and once when it has been over for a while. */
export function newsOf(known: readonly ToldState[], fares: readonly WatchedClinic[], nowMs: number) {
  const nameOf = ({ clinic, state }: Pick<ToldState, "clinic" | "state">) => `${clinic} ${state}`;
  const before = new Map(known.map((one) => [nameOf(one), one]));
  const present = fares.flatMap(({ name: clinic, states }) =>
    // One that is silent is behind for that.
    states
      .filter((state) => state !== "good" && !(state === "behind" && states.includes("silent")))
      .map((state) => ({ clinic, state })),
  );
  const names = new Set(present.map(nameOf));
  const lasting = present.map((one) => {
    const { sinceMs = nowMs, toldMs = null } = before.get(nameOf(one)) ?? {};
    // The database's clock may have been ahead.
    return { ...one, sinceMs: Math.min(sinceMs, nowMs), toldMs, goneMs: null };
  });
  const gone = known
    .filter((one) => one.toldMs !== null && !names.has(nameOf(one)))
    .map((one) => ({ ...one, goneMs: Math.min(one.goneMs ?? nowMs, nowMs) }));
  return {
    states: [...lasting, ...gone] satisfies readonly ToldState[],
    begun: lasting.filter(
      ({ state, sinceMs, toldMs }) =>
        toldMs === null && nowMs - sinceMs >= (state === "behind" ? BEHIND_MS : BEGUN_MS),
    ),
    over: gone.filter(({ goneMs }) => nowMs - goneMs >= OVER_MS),
  };
}

export interface ClinicNoticesOptions {
  readonly database: Database;
  readonly company: Company;
  readonly sinks: readonly Sink<Notice>[];
  readonly language: Language;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * Tells people by e-mail and webhook how the clinics' gateways fare. What was told stands in the database, so
 * that of any number of processes each may go on; one at a time looks, by a lock. A sink that does not take
 * a notice gets it at the next look, as it is then.
 */
export class ClinicNotices {
  readonly #options: ClinicNoticesOptions;
  readonly #closing = new AbortController();
  readonly #cancels = new Map<Sink<Notice>, Cancel>();
  readonly #looking = new Map<Sink<Notice>, Promise<void>>();
  /** Of each sink, until it takes something. */
  readonly #failures = new Map<string, string>();

  constructor(options: ClinicNoticesOptions) {
    this.#options = options;
  }

  /** Looks at once, and then each minute; no sink waits for another. */
  open(): void {
    for (const sink of this.#options.sinks) this.#lookIn(0, sink);
  }

  #lookIn(ms: number, sink: Sink<Notice>): void {
    if (this.#closing.signal.aborted) return;
    const look = () => this.#lookFor(sink).finally(() => this.#lookIn(LOOK_MS, sink));
    this.#cancels.set(
      sink,
      this.#options.timers.after(ms, () => this.#looking.set(sink, look())),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const cancel of this.#cancels.values()) cancel();
    await Promise.all(this.#looking.values());
  }

  /** Sends each sink what is due. Never rejects. */
  async look(): Promise<void> {
    await Promise.all(this.#options.sinks.map((sink) => this.#lookFor(sink)));
  }

  async #lookFor(sink: Sink<Notice>): Promise<void> {
    try {
      await this.#options.database.use((connection) => this.#look(connection, sink));
    } catch (error) {
      this.#warn(sink, error);
    }
  }

  async #look(connection: Connection, sink: Sink<Notice>): Promise<void> {
    const { company } = this.#options;
    const of = { company: company.company, sink: sink.name };
    // A row is the lock, because every gateway's role could hold an advisory one.
    await connection.query(
      `INSERT INTO flanco.told (company, sink, clinic, state, since_ms) VALUES (@company, '', @sink, '', 0)
       ON CONFLICT DO NOTHING`,
      of,
    );
    await connection.query("BEGIN");
    // What is taken after the transaction has ended is sent again.
    await connection.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    const locked = await connection.query(
      "SELECT FROM flanco.told WHERE company = @company AND sink = '' AND clinic = @sink FOR UPDATE SKIP LOCKED",
      of,
    );
    if (locked.length > 0) {
      const { clinics: fares, nowMs } = await clinics(connection, company);
      await this.#tell(connection, sink, fares, nowMs);
    }
    await connection.query("COMMIT");
  }

  async #tell(connection: Connection, sink: Sink<Notice>, fares: readonly WatchedClinic[], nowMs: number) {
    const of = { company: this.#options.company.company, sink: sink.name };
    // 64-bit numbers would come as texts.
    const known = await connection.query<ToldState>(
      `SELECT clinic, state, since_ms::float8 AS "sinceMs", told_ms::float8 AS "toldMs", gone_ms::float8 AS "goneMs"
         FROM flanco.told WHERE company = @company AND sink = @sink`,
      of,
    );
    const { states, begun, over } = newsOf(known, fares, nowMs);
    const store = (told: readonly ToldState[], ended: readonly ToldState[]) =>
      storeTold(
        connection,
        of,
        states
          .filter((one) => !ended.includes(one))
          .map((one) => (told.includes(one) ? { ...one, toldMs: nowMs } : one)),
      );
    // First, because what cannot be written would be sent again each minute.
    await store(begun, over);
    const hasBegun = await this.#send(sink, "clinic_begun", begun, fares, nowMs);
    const hasOver = await this.#send(sink, "clinic_over", over, fares, nowMs);
    if (!hasBegun || !hasOver) await store(hasBegun ? begun : [], hasOver ? over : []);
  }

  /** Whether the sink has taken it. */
  async #send(
    sink: Sink<Notice>,
    kind: "clinic_begun" | "clinic_over",
    news: readonly ToldState[],
    fares: readonly WatchedClinic[],
    nowMs: number,
  ): Promise<boolean> {
    if (news.length === 0) return true;
    try {
      const signal = AbortSignal.any([
        this.#closing.signal,
        AbortSignal.timeout(sink.deliverMs ?? DELIVER_MS),
      ]);
      await sink.deliver(this.#write(kind, news, fares, nowMs), signal);
      this.#failures.delete(sink.name);
      return true;
    } catch (error) {
      this.#warn(sink, error);
      return false;
    }
  }

  #write(
    kind: "clinic_begun" | "clinic_over",
    news: readonly ToldState[],
    fares: readonly WatchedClinic[],
    nowMs: number,
  ): Notice {
    const { company, language } = this.#options;
    const texts = TEXTS[language];
    const style = { dateStyle: "medium", timeStyle: "short", timeZone: company.timeZone } as const;
    const moment = (timeMs: number) => new Intl.DateTimeFormat(LOCALES[language], style).format(timeMs);
    const names = [...new Set(news.map(({ clinic }) => clinic))].sort();
    const shown = names.slice(0, MAX_NAMED).map((name) => {
      const states = news.filter(({ clinic }) => clinic === name);
      const of = fares.find((clinic) => clinic.name === name);
      const isFaulty = states.some(({ state }) => state === "faulty" || state === "full");
      const faults = isFaulty && kind === "clinic_begun" ? (of?.report?.faults ?? []) : [];
      return {
        name,
        codes: states.map(({ state }) => state).join(" "),
        states: states.map(({ state }) => texts.states[state]).join(", "),
        seen: of?.seenMs == null ? texts.never : texts.seen(moment(of.seenMs)),
        faults: faults.map((fault) => `  ${textsOf(fault, company.timeZone)[language].what}`),
      };
    });
    const rest = names.length - shown.length;
    const lines = [
      ...shown.flatMap(({ name, states, seen, faults }) => [`- ${name}: ${states}. ${seen}`, ...faults]),
      ...(rest === 0 ? [] : [texts.more(rest)]),
      ...(kind === "clinic_begun" ? ["", texts.todo] : []),
    ];
    const [first] = shown;
    const what = names.length === 1 ? `${first?.name}: ${first?.states}` : texts.gateways(names.length);
    return {
      // The same where it is sent again.
      id: idOf([kind, ...news.map(({ clinic, state, sinceMs }) => [clinic, state, sinceMs])]),
      kind,
      madeMs: nowMs,
      language,
      subject: texts[kind](what),
      text: `${lines.map(shownText).join("\n")}\n\n${texts.sentBy(company.name)}\n`,
      details: {
        company: company.name,
        count: names.length,
        clinics: shown.map(({ name, codes }) => `${name} ${codes}`).join("; "),
      },
    };
  }

  /** A failure that lasts is logged once. */
  #warn({ name }: Sink<Notice>, error: unknown): void {
    const failure = error instanceof FlancoError ? withHint(error) : messageOf(error);
    if (failure !== this.#failures.get(name))
      this.#options.log.warn({ err: error }, `notices wait: ${failure}`);
    this.#failures.set(name, failure);
  }
}

/** These, and no others, are known of a sink then. */
async function storeTold(
  connection: Connection,
  of: { readonly company: number; readonly sink: string },
  kept: readonly ToldState[],
): Promise<void> {
  const names = { clinics: kept.map(({ clinic }) => clinic), states: kept.map(({ state }) => state) };
  await connection.query(
    `DELETE FROM flanco.told t WHERE t.company = @company AND t.sink = @sink AND NOT EXISTS (
       SELECT FROM unnest(@clinics::text[], @states::text[]) k(clinic, state) WHERE k.clinic = t.clinic AND k.state = t.state)`,
    { ...of, ...names },
  );
  await connection.query(
    `INSERT INTO flanco.told AS t SELECT @company, @sink, k.*
       FROM unnest(@clinics::text[], @states::text[], @since::bigint[], @told::bigint[], @gone::bigint[]) k
     ON CONFLICT (company, sink, clinic, state) DO UPDATE
       SET since_ms = excluded.since_ms, told_ms = excluded.told_ms, gone_ms = excluded.gone_ms
      WHERE (t.since_ms, t.told_ms, t.gone_ms) IS DISTINCT FROM (excluded.since_ms, excluded.told_ms, excluded.gone_ms)`,
    {
      ...of,
      ...names,
      since: kept.map(({ sinceMs }) => sinceMs),
      told: kept.map(({ toldMs }) => toldMs),
      gone: kept.map(({ goneMs }) => goneMs),
    },
  );
}

/** A UUID (RFC 9562, version 8) that is always the same for one content. */
function idOf(content: unknown): string {
  const digits = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
  ];
  return [...parts, digits.slice(20, 32)].join("-");
}

/** Where a company's notices go, as its settings file says, and in which language. Throws `config`. */
export function companyNotices(
  config: Pick<Config, "sinks">,
  company: string,
  clock: Clock,
  warn: (text: string) => void,
): Pick<ClinicNoticesOptions, "sinks" | "language"> {
  const [email, webhook] = [settingsIn("email", config), settingsIn("webhook", config)];
  const language = settingsIn("notice", config)?.notice_language ?? "es";
  const test = (): Notice => {
    const { testSubject, testText, sentBy } = TEXTS[language];
    const text = `${testText(company)}\n\n${sentBy(company)}\n`;
    const madeMs = clock.nowMs();
    const kind: NoticeKind = "test";
    return {
      id: idOf([kind, madeMs]),
      kind,
      madeMs,
      language,
      subject: testSubject,
      text,
      details: { company },
    };
  };
  return {
    language,
    sinks: [
      ...(email === undefined ? [] : [new EmailSink(email, test, warn)]),
      ...(webhook === undefined ? [] : [new WebhookSink(webhook, test, clock)]),
    ],
  };
}

/** The settings of a sink as a settings file has them, checked. Its secrets stay in the files that it names. */
function settingsIn<N extends SetupName>(
  name: N,
  { sinks }: Pick<Config, "sinks">,
): SinkSettingsOf<N> | undefined {
  const setup = setupIn(name, sinks);
  if (setup === undefined) return undefined;
  const values = SETUP_FIELDS[name].map((field) => {
    const key = fileKeyOf(field);
    return [key, isHidden(field) ? (sinks[key] ?? "") : setup.values[key]];
  });
  // The values were parsed by `setupIn`.
  return Object.fromEntries(values) as SinkSettingsOf<N>;
}

const TEXTS = bilingual({
  states: CLINIC_STATE_NAMES,
  clinic_begun: (what: string) => [`Aviso: ${what}`, `Attention: ${what}`],
  clinic_over: (what: string) => [`Resuelto: ${what}`, `Over: ${what}`],
  gateways: (count: number) => [`${count} equipos`, `${count} gateways`],
  seen: (moment: string) => [`Última llamada: ${moment}.`, `Last call: ${moment}.`],
  never: ["No ha llamado nunca.", "It has never called."],
  more: (count: number) => [`- y ${count} más`, `- and ${count} more`],
  todo: [
    "Qué hacer dice la página de la empresa, en Equipos.",
    "The company's page says what to do, under Gateways.",
  ],
  testSubject: ["Mensaje de prueba de flanco", "Test message of flanco"],
  testText: (company: string) => [
    `Si lee esto, los avisos sobre los equipos de ${company} llegan hasta usted. No hay que hacer nada.`,
    `If you read this, notices of the gateways of ${company} reach you. Nothing is to be done.`,
  ],
  sentBy: (company: string) => [
    `Enviado por flanco, página de ${company}.`,
    `Sent by flanco, page of ${company}.`,
  ],
});
