import { z } from "zod";
import { MAX_VALOR, microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { ArchivedMonth, Archivist, RetentionPlan } from "../domain/archive.ts";
import type { Actor, AuditEntry } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { BIASES, type ChipInfo, type DrivableLines } from "../domain/line.ts";
import type { Lines } from "../domain/lines.ts";
import { type PasswordHasher, requirePassword } from "../domain/password.ts";
import type { Status, StatusReader } from "../domain/status.ts";
import { MAX_TEXT, textMistake } from "../domain/text.ts";
import type { User } from "../domain/user.ts";
import {
  DEFAULT_DEBOUNCE_MS,
  DEFAULT_REARM_MS,
  MAX_DEBOUNCE_MS,
  MAX_REARM_MS,
  type OwnedWiring,
} from "../domain/wiring.ts";

/** The API's rule for the same texts. */
const text = z
  .string()
  .trim()
  .refine((value) => textMistake(value, 1, MAX_TEXT) === undefined, {
    error: `must be a text of 1 to ${MAX_TEXT} characters`,
  });

/** Lines that one import may wire. */
export const MAX_WIRING_ROWS = 1_000;

/** Entries of the audit log that one answer holds. */
export const MAX_AUDIT_PAGE = 500;

/** One wired line as commands and files show it. */
export const wiringRow = z.strictObject({
  line: text,
  device: text,
  actuator: text,
  valor: z.number().min(-MAX_VALOR).max(MAX_VALOR),
  active_low: z.boolean().default(false),
  bias: z.enum(BIASES).default("as-is"),
  debounce_ms: z.int().min(0).max(MAX_DEBOUNCE_MS).default(DEFAULT_DEBOUNCE_MS),
  rearm_ms: z.int().min(0).max(MAX_REARM_MS).default(DEFAULT_REARM_MS),
  /** E-mail of the user whose device it is; needed only where several users have that dId. */
  user: text.optional(),
});
export type WiringRow = z.output<typeof wiringRow>;

/** The inputs of every operation, parsed where they come in. */
export const operationInputs = {
  addUser: z.strictObject({ name: text, email: z.email().max(MAX_TEXT), password: z.string() }),
  listUsers: z.strictObject({}),
  setPassword: z.strictObject({ email: text, password: z.string() }),
  removeUser: z.strictObject({ email: text, withDevices: z.boolean() }),
  listWiring: z.strictObject({}),
  setWiring: z.strictObject({ user: text.optional(), row: wiringRow }),
  removeWiring: z.strictObject({ line: text }),
  importWiring: z.strictObject({ user: text.optional(), rows: z.array(wiringRow).max(MAX_WIRING_ROWS) }),
  voidRecord: z.strictObject({ recordId: z.int().min(1), reason: text }),
  finishArchive: z.strictObject({}),
  planArchive: z.strictObject({}),
  archiveMonth: z.strictObject({ month: z.int().min(1) }),
  detect: z.strictObject({}),
  setLine: z.strictObject({ line: text, high: z.boolean() }),
  status: z.strictObject({}),
  rotateSecret: z.strictObject({}),
  listAudit: z.strictObject({
    before: z.int().min(1).nullable(),
    sinceMs: z.int().min(0).nullable(),
    limit: z.int().min(1).max(MAX_AUDIT_PAGE),
  }),
};

export type OperationName = keyof typeof operationInputs;
export type OperationInput<N extends OperationName> = z.input<(typeof operationInputs)[N]>;

export interface OperationOutputs {
  addUser: User;
  listUsers: readonly User[];
  setPassword: null;
  removeUser: null;
  listWiring: readonly (WiringRow & { readonly user: string; readonly state: string })[];
  setWiring: null;
  removeWiring: null;
  importWiring: { readonly set: number };
  voidRecord: null;
  finishArchive: null;
  planArchive: RetentionPlan;
  archiveMonth: ArchivedMonth;
  detect: readonly ChipInfo[];
  setLine: null;
  status: Status;
  rotateSecret: { readonly ended: number };
  listAudit: readonly (AuditEntry & {
    /** E-mail of the user whose data it is about; null for the appliance, and for a user that is gone. */
    readonly user: string | null;
  })[];
}

/** A way to run operations: in this process, or in the service that has the ledger. */
export interface Operations {
  call<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationOutputs[N]>;
}

export interface OperationDependencies {
  readonly reader: LedgerReader;
  readonly writer: LedgerWriter;
  readonly passwords: PasswordHasher;
  /** Null while no service runs: what needs lines is then refused, or done without looking at them. */
  readonly lines: Lines | null;
  /** The simulated driver's lines; null with any other driver. */
  readonly drivable: DrivableLines | null;
  /** How the running service is; null while none runs. */
  readonly status: StatusReader | null;
  /** Puts another secret in place of the one that signs sessions; gives how many sessions ended with it. */
  readonly rotateSecret: (by: Actor) => Promise<number>;
  /** Not there while no service runs: only that knows whether the clock is trusted. */
  readonly archivist?: Archivist;
}

/** What technicians may do from the command line. Runs beside the service's requests, on its one ledger. */
export class LocalOperations {
  readonly #run: {
    readonly [N in OperationName]: (
      input: z.output<(typeof operationInputs)[N]>,
      by: Actor,
    ) => Promise<OperationOutputs[N]>;
  };
  readonly #dependencies: OperationDependencies;

  constructor(dependencies: OperationDependencies) {
    this.#dependencies = dependencies;
    const { reader, writer, passwords } = dependencies;
    this.#run = {
      addUser: async ({ name, email, password }, by) => {
        requirePassword(password);
        return writer.addUser({ name, email, passwordHash: await passwords.hash(password) }, by);
      },
      listUsers: async () => reader.users(),
      setPassword: async ({ email, password }, by) => {
        const user = this.#userByEmail(email);
        requirePassword(password);
        await writer.setPassword(user.id, await passwords.hash(password), by);
        return null;
      },
      removeUser: async ({ email, withDevices }, by) => {
        await writer.removeUser(this.#userByEmail(email).id, withDevices, by);
        return null;
      },
      listWiring: async () => this.#listWiring(),
      setWiring: async ({ user, row }, by) => {
        await this.#setWiring([row], user, by);
        return null;
      },
      removeWiring: async ({ line }, by) => {
        const wiring = reader.wirings().find((one) => one.line === line);
        if (wiring === undefined) throw new FlancoError("not_found", `The line ${line} is not wired.`);
        await writer.removeWiring(wiring.userId, line, by);
        await dependencies.lines?.reconcile();
        return null;
      },
      importWiring: async ({ user, rows }, by) => {
        await this.#setWiring(rows, user, by);
        return { set: rows.length };
      },
      voidRecord: async ({ recordId, reason }, by) => {
        await writer.voidRecord(recordId, reason, by);
        return null;
      },
      finishArchive: async () => {
        await this.#archivist().finish();
        return null;
      },
      planArchive: async () => this.#archivist().plan(),
      archiveMonth: async ({ month }, by) => this.#archivist().archive(month, by),
      detect: async () => {
        if (dependencies.lines === null) throw noService();
        return dependencies.lines.detect();
      },
      setLine: async ({ line, high }) => {
        if (dependencies.drivable === null) {
          throw new FlancoError("unavailable", "Only lines of the simulated driver can be set.", {
            hint: "Start the service with FLANCO_GPIO_DRIVER=simulated to try things out.",
          });
        }
        dependencies.drivable.set(line, high);
        return null;
      },
      status: async () => {
        if (dependencies.status === null) throw noService();
        return dependencies.status.status();
      },
      rotateSecret: async (_input, by) => ({ ended: await dependencies.rotateSecret(by) }),
      listAudit: async (search) => {
        const emails = new Map(reader.users().map((user) => [user.id, user.email]));
        return reader
          .audit(search)
          .map((entry) => ({ ...entry, user: emails.get(entry.userId ?? "") ?? null }));
      },
    };
  }

  /** Runs one operation, done by `by` as far as the audit log is concerned. */
  async call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    by: Actor,
  ): Promise<OperationOutputs[N]> {
    const parsed = operationInputs[name].safeParse(input);
    if (!parsed.success) {
      const mistakes = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      throw new FlancoError("invalid", `${mistakes.join("; ")}.`);
    }
    const run = this.#run[name] as (input: unknown, by: Actor) => Promise<OperationOutputs[N]>;
    return run(parsed.data, by);
  }

  #archivist(): Archivist {
    const { archivist } = this.#dependencies;
    if (archivist === undefined) throw noService();
    return archivist;
  }

  #listWiring(): OperationOutputs["listWiring"] {
    const { reader, lines } = this.#dependencies;
    const emails = new Map(reader.users().map((user) => [user.id, user.email]));
    const status = lines?.status();
    const failures = new Map(status?.failures.map(({ line, message }) => [line, message]));
    return reader.wirings().map((wiring) => ({
      line: wiring.line,
      device: wiring.dId,
      actuator: wiring.actuatorId,
      valor: valorFromMicros(wiring.valorMicros),
      active_low: wiring.activeLow,
      bias: wiring.bias,
      debounce_ms: wiring.debounceMs,
      rearm_ms: wiring.rearmMs,
      user: emails.get(wiring.userId) ?? "",
      state: failures.get(wiring.line) ?? (status?.watched.includes(wiring.line) ? "watched" : "not watched"),
    }));
  }

  async #setWiring(rows: readonly WiringRow[], email: string | undefined, by: Actor): Promise<void> {
    const { writer, lines } = this.#dependencies;
    const save = async () =>
      writer.setWiring(
        rows.map((row) => this.#toOwned(row, email ?? row.user)),
        by,
      );
    if (lines === null) await save();
    else {
      await lines.wire(
        rows.map((row) => row.line),
        save,
      );
    }
  }

  #toOwned(row: WiringRow, email: string | undefined): OwnedWiring {
    return {
      userId: this.#ownerOf(row.device, email).id,
      wiring: {
        line: row.line,
        dId: row.device,
        actuatorId: row.actuator,
        valorMicros: microsFromValor(row.valor),
        activeLow: row.active_low,
        bias: row.bias,
        debounceMs: row.debounce_ms,
        rearmMs: row.rearm_ms,
      },
    };
  }

  /** The user whose device has this dId; `email` decides where several have one. */
  #ownerOf(dId: string, email: string | undefined): User {
    const { reader } = this.#dependencies;
    if (email !== undefined) return this.#userByEmail(email);
    const owners = reader
      .users()
      .filter((user) => reader.devices(user.id).some((device) => device.dId === dId));
    const [owner, ...others] = owners;
    if (owner === undefined) {
      throw new FlancoError("not_found", `There is no device with dId "${dId}".`, {
        hint: "Register it first, on the page or with POST /api/device.",
      });
    }
    if (others.length > 0) {
      throw new FlancoError("conflict", `Several users have a device with dId "${dId}".`, {
        hint: `Say whose with --user: ${owners.map((user) => user.email).join(", ")}.`,
      });
    }
    return owner;
  }

  #userByEmail(email: string): User {
    const found = this.#dependencies.reader.credentials(email);
    if (found === undefined) {
      throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
        hint: "flanco user list shows who there is.",
      });
    }
    return found.user;
  }
}

export function noService(): FlancoError {
  return new FlancoError("unavailable", "The flanco service is not running on this data directory.", {
    hint: "Start it first: npm start from a checkout, or systemctl start flanco.",
  });
}
