import {
  declarationOf,
  OPERATIONS,
  type OperationCode,
  type OperationName,
  type ParsedInput,
  watchLines,
} from "../contract/operator.ts";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { CalmReader } from "../domain/heavy-read.ts";
import type { Id } from "../domain/id.ts";
import type { ClockCorrected, LedgerWriter } from "../domain/ledger.ts";
import type { Lines } from "../domain/line.ts";
import type { Member } from "../domain/member.ts";
import type { SinkName } from "../domain/sink-setting.ts";
import type { StatusReader } from "../domain/status.ts";
import { type NewUser, type PasswordHasher, requirePassword } from "../domain/user.ts";
import { importOperations } from "./import.ts";
import { streamOf } from "./line.ts";
import { makeLink } from "./member.ts";
import { type Endpoint, serve } from "./router.ts";
import type { ShownNumbers } from "./shown-number.ts";

export interface OperatorDependencies {
  readonly reader: CalmReader;
  readonly writer: LedgerWriter;
  readonly numbers: ShownNumbers;
  readonly passwords: PasswordHasher;
  /** The sinks that an owner has set up on the page. */
  readonly pageSinks: () => readonly SinkName[];
  /** Replaces the secret that signs sessions. Resolves with the number of sessions that ended. */
  readonly rotateSecret: (by: Actor) => Promise<number>;
  /** The parts of a running service; null while none runs. Wiring is then changed without a look at the lines. */
  readonly running: {
    readonly lines: Lines;
    readonly status: StatusReader;
    /** Called with the keys of findings that were acknowledged: they are no fault any more. */
    readonly acknowledged: (keys: string) => void;
    /** Called when the sales of a boot got other times by another zero of its clock. */
    readonly clockCorrected: (bootId: string, zeroMs: number) => void;
  } | null;
}

export type OperatorTable = { readonly [N in OperationName]: OperationCode<N> };

/** The operations of commands, served on the control socket or run in the command's own process. */
export function operatorTable(dependencies: OperatorDependencies): OperatorTable {
  const { reader, writer, numbers, passwords, rotateSecret } = dependencies;
  const running = () => {
    if (dependencies.running === null) throw noService();
    return dependencies.running;
  };
  const addAccount = (user: NewUser, by: Actor) => {
    const sinks = dependencies.pageSinks();
    // They would send what is the new account's too, to where the other one's owner wants it.
    if (sinks.length > 0 && reader.members().length > 0) {
      const message = `What this gateway sends was set up on the page, for one account (${sinks.join(", ")}).`;
      throw new FlancoError("conflict", message, {
        hint: "Set it up in flanco.toml, or have the owner turn it off on the page; then add the account.",
      });
    }
    return writer.addUser(user, by);
  };
  return {
    listUsers: () => reader.members(),
    addUser: async ({ name, email, password, account, role }, by) => {
      if (password !== undefined) requirePassword(password);
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const isNew = account === undefined && role === undefined;
      const member = isNew
        ? await addAccount({ name, email, passwordHash }, by)
        : await writer.addMember(
            accountOf(reader, account),
            { name, email, passwordHash, role: role ?? "staff" },
            by,
          );
      return {
        email: member.email,
        token: passwordHash === null ? await makeLink(writer, member, by) : null,
      };
    },
    linkUser: async ({ email }, by) => ({ token: await makeLink(writer, memberByEmail(reader, email), by) }),
    changeUser: ({ email, ...change }, by) => {
      const { userId, id } = memberByEmail(reader, email);
      return writer.changeMember(userId, id, change, by);
    },
    signOutUser: async ({ email }, by) => {
      const { userId, id } = memberByEmail(reader, email);
      return { ended: await writer.endSessionsOf(userId, id, by) };
    },
    setPassword: async ({ email, password }, by) => {
      const member = memberByEmail(reader, email);
      requirePassword(password);
      await writer.setPassword(member.id, await passwords.hash(password), by);
    },
    removeUser: async ({ email, withDevices }, by) => {
      const { userId, id } = memberByEmail(reader, email);
      if (reader.members(userId).length > 1) await writer.removeMember(userId, id, by);
      else await writer.removeUser(userId, withDevices, by);
    },
    ...importOperations({
      ...{ reader, writer, numbers, addAccount },
      accountOf: (user) => accountOf(reader, user),
    }),
    detect: () => running().lines.detect(),
    status: () => running().status.status(),
    rotateSecret: async (_input, by) => ({ ended: await rotateSecret(by) }),
    reclocked: () => reader.reclocked(),
    correctClock: async ({ bootId, zeroMs }, by) => {
      let moved = 0;
      for (let after: number | null = 0; after !== null; ) {
        const step: ClockCorrected = await writer.correctClock(bootId, zeroMs, after, by);
        moved += step.moved;
        after = step.after;
      }
      dependencies.running?.clockCorrected(bootId, zeroMs);
      return { moved };
    },
    acknowledge: async (details, by) => {
      await writer.noteAudit([{ kind: "findings_acknowledged", userId: null, details, actor: by }]);
      dependencies.running?.acknowledged(details.findings);
    },
  };
}

/** The same operations as endpoints, and the watch of lines of a running service. */
export function operatorEndpoints(table: OperatorTable, lines?: Pick<Lines, "listen">): readonly Endpoint[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return [
    ...names.map((name) => toEndpoint(table, name)),
    ...(lines === undefined ? [] : [serve(watchLines, () => streamOf(lines))]),
  ];
}

function toEndpoint<N extends OperationName>(table: OperatorTable, name: N): Endpoint {
  return {
    declaration: declarationOf(name),
    run: async ({ body, by }) => ({
      // The router has parsed it by this declaration's shape.
      data: (await table[name](body as ParsedInput<N>, by)) ?? null,
    }),
  };
}

/** What says who the members of the accounts are. */
export type Accounts = Pick<CalmReader, "credentials" | "members">;

/** The account of a member; without an e-mail the only account. */
export function accountOf(reader: Accounts, email: string | undefined): Id {
  if (email !== undefined) return memberByEmail(reader, email).userId;
  const [only, ...others] = firstMembers(reader);
  if (only !== undefined && others.length === 0) return only.userId;
  throw new FlancoError("invalid", "It is not clear which account is meant.", {
    hint: "Name it with --account and the e-mail of one of its members.",
  });
}

/** The first member of each account. Commands name an account by that member's e-mail. */
export function firstMembers(reader: Pick<CalmReader, "members">): readonly Member[] {
  const seen = new Set<Id>();
  return reader.members().filter(({ userId }) => !seen.has(userId) && seen.add(userId));
}

function memberByEmail(reader: Pick<CalmReader, "credentials">, email: string): Member {
  const found = reader.credentials(email);
  if (found === undefined) {
    throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
      hint: "flanco user list shows who there is.",
    });
  }
  return found.member;
}

export function noService(): FlancoError {
  return new FlancoError("unavailable", "The flanco service is not running on this data directory.", {
    hint: "Start it first: npm start from a checkout, or systemctl start flanco.",
  });
}
