import { Api } from "../../guest/inside/api.ts";
import type { Unit } from "../../guest-systemd/inside/unit.ts";

/** Makes the first user with the link that the service has printed last. Gives the API, signed in. */
export async function firstUser(unit: Unit): Promise<Api> {
  const said = (await unit.journal(0)).map(({ message }) => message).join("\n");
  const token = [...said.matchAll(/\/primer-uso#(\S+)/g)].at(-1)?.[1] ?? "";
  const api = new Api(unit.baseUrl);
  await api.makeFirstUser(token);
  return api;
}
