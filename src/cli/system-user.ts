import { userInfo } from "node:os";

/**
 * Who runs this command, by the system's names: `root`, or `root (ana)` where sudo says for whom. Call it before the
 * process goes on as another user. It is what the process says of itself: who may use the command line could
 * write the ledger's file as well.
 */
export function systemUser(environment: NodeJS.ProcessEnv = process.env): string {
  const name = ownName();
  const behind = environment["SUDO_USER"];
  return behind === undefined || behind === "" || behind === name ? name : `${name} (${behind})`;
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name: a container's, say.
    return `user ${process.getuid?.() ?? "?"}`;
  }
}
