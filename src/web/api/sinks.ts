import type { SetupName, SetupValue, SinkName } from "../../domain/sink-setting.ts";
import type { Api } from "./api.ts";
import type { Setup, SetupsAnswer, SinkTestAnswer } from "./shapes.ts";

export async function loadSetups(api: Api): Promise<readonly Setup[]> {
  return (await api.get<SetupsAnswer>("/api/sink")).data;
}

/** Rejects with ApiFailure: 400 names the fields that are wrong, 409 is for what flanco.toml has. */
export function setSetup(api: Api, name: SetupName, values: Readonly<Record<string, SetupValue>>) {
  return api.send("PUT", "/api/sink", { name, values });
}

export function clearSetup(api: Api, name: SetupName) {
  return api.send("DELETE", `/api/sink?name=${name}`);
}

/** Takes up to half a minute. Rejects with ApiFailure: 409 while another test of it is under way. */
export async function testSink(api: Api, name: SinkName): Promise<SinkTestAnswer["data"]> {
  return (await api.send<SinkTestAnswer>("POST", "/api/sink/test", { name })).data;
}
