import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { SinkSettingsOf } from "../contract/sink.ts";
import { MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Notice } from "../domain/notice.ts";
import type { Sink } from "../domain/sink.ts";
import { readConfigured, readSecret } from "../platform/secret-file.ts";
import { connectionProblem } from "../platform/socket.ts";

/** How long the server may take to greet. A test must be able to tell of a silent one. */
const GREETING_MS = 20 * SECOND_MS;
/** The ports of submission: with STARTTLS, and with TLS from the first byte (RFC 8314). */
const SUBMISSION_PORT = 587;
const TLS_PORT = 465;
/** Reply codes from here on refuse for good (RFC 5321, section 4.2.1). */
const REFUSED = 500;

/**
 * Sends notices by e-mail. The Message-ID is made of the notice's id, so that a repeated notice is the
 * same message. The password is sent over TLS alone; for a server without a login TLS is optional.
 */
export class EmailSink implements Sink<Notice> {
  readonly name = "email";
  /**
   * Servers look through a message before they answer, and may take ten minutes (RFC 5321,
   * section 4.5.3.2.6). A message that is given up before that arrives, and then again.
   */
  readonly deliverMs = 10 * MINUTE_MS;
  readonly #settings: SinkSettingsOf<"email">;
  readonly #makeTest: () => Notice;
  readonly #warn: (text: string) => void;

  /** @param warn gets a line where a server accepts a message for some of the recipients alone */
  constructor(settings: SinkSettingsOf<"email">, makeTest: () => Notice, warn: (text: string) => void) {
    this.#settings = settings;
    this.#makeTest = makeTest;
    this.#warn = warn;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const refused = await this.#send(notice, signal);
    // Not sent again: other recipients have it already.
    if (refused.length > 0) this.#warn(this.#describeRefused(refused.length));
  }

  async test(signal: AbortSignal): Promise<string> {
    const refused = await this.#send(this.#makeTest(), signal);
    const { email_to: to, email_server: server } = this.#settings;
    if (refused.length > 0) {
      throw new FlancoError("unavailable", this.#describeRefused(refused.length), {
        hint: "Correct email_to.",
      });
    }
    return `The mail server ${hostOf(server)} has taken a test message for ${to.join(", ")}.`;
  }

  /** Gives the recipients that the server refuses; rejects where it refuses all of them. */
  async #send(notice: Notice, signal: AbortSignal): Promise<readonly string[]> {
    const { email_from: from, email_to: to, email_server: server } = this.#settings;
    const transport = await this.#transport(signal);
    try {
      signal.throwIfAborted();
      const { rejected } = await transport.sendMail({
        from: { name: "flanco", address: from },
        to: [...to],
        subject: notice.subject,
        text: notice.text,
        date: new Date(notice.madeMs),
        messageId: `<${notice.id}@${from.split("@")[1] ?? "flanco"}>`,
        headers: { "X-Flanco-Notice": notice.kind, "Auto-Submitted": "auto-generated" },
      });
      return rejected;
    } catch (error) {
      throw emailError(server, error);
    }
  }

  #describeRefused(count: number): string {
    const { email_to: to, email_server: server } = this.#settings;
    return `The mail server ${hostOf(server)} refuses ${count} of ${to.length} recipients.`;
  }

  /** The transport for one message. It reads the files each time, so that a new password needs no restart. */
  async #transport(signal: AbortSignal) {
    const { email_server, email_login: login, email_password_file, email_authority_file } = this.#settings;
    const { protocol, hostname, port } = new URL(email_server);
    const isTls = protocol === "smtps:";
    const host = hostname.replace(/^\[|\]$/g, "");
    const auth = login === "" ? {} : { auth: { user: login, pass: readSecret(email_password_file) } };
    const authority = email_authority_file === "" ? {} : { ca: readConfigured(email_authority_file) };
    const place = { host, port: Number(port) || (isTls ? TLS_PORT : SUBMISSION_PORT) };
    // Loaded here, so that an appliance without e-mail does not load it.
    const { createTransport } = await import("nodemailer");
    return createTransport({
      ...place,
      ...auth,
      tls: authority,
      secure: isTls,
      requireTLS: !isTls && login !== "",
      greetingTimeout: GREETING_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      // The library cannot cancel a message, but its connection can be ended.
      getSocket: (_options: unknown, done: (error: Error | null, opened?: object) => void) => {
        const servername = isIP(host) === 0 ? { servername: host } : {};
        const socket = isTls ? connectTls({ ...place, ...servername, ...authority }) : connect(place);
        const fail = (error: Error) => done(error);
        socket.once("error", fail);
        socket.once(isTls ? "secureConnect" : "connect", () => {
          socket.off("error", fail);
          done(null, { connection: socket, secured: isTls });
        });
        const end = () => socket.destroy(new Error("The delivery was ended."));
        signal.addEventListener("abort", end, { once: true });
        socket.once("close", () => signal.removeEventListener("abort", end));
      },
    });
  }
}

/** An error of nodemailer. */
interface MailError {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EAUTH: "refuses the login or the password",
  EENVELOPE: "refuses the sender or every recipient",
  EMESSAGE: "refuses the message",
  ETLS: "offers no TLS that can be trusted",
  ETIMEDOUT: "does not answer",
  EDNS: "has a name that cannot be looked up",
};

function emailError(server: string, cause: unknown): FlancoError {
  const { code, originalCode, responseCode } = (cause ?? {}) as MailError;
  const known = typeof code === "string" ? PROBLEMS[code] : undefined;
  const reply = typeof responseCode === "number" ? ` (reply ${responseCode})` : "";
  const problem =
    connectionProblem(originalCode) ?? known ?? connectionProblem(code) ?? "ended the connection";
  const lasts = typeof responseCode === "number" && responseCode >= REFUSED;
  // A refused sender, login or recipient can be corrected in the settings, and then the message is accepted.
  const isRefused = lasts && code === "EMESSAGE";
  return new FlancoError(
    isRefused ? "unprocessable" : "unavailable",
    `The mail server ${hostOf(server)} ${problem}${reply}.`,
    {
      hint: lasts
        ? "Correct the settings email_*, or ask who runs the server."
        : "Check the network, the server and the settings email_*; flanco tries again by itself.",
      cause,
    },
  );
}

function hostOf(server: string): string {
  return new URL(server).host;
}
