import * as z from "zod";
import { name, valor } from "../contract/field.ts";
import { newWiring, type Wiring } from "../contract/wiring.ts";

/** One wired line as files and `--json` show it. These names stay, because people keep such files. */
export const wiringRow = z.strictObject({
  line: name,
  device: name,
  actuator: name,
  valor,
  active_low: newWiring.activeLow,
  bias: newWiring.bias,
  debounce_ms: newWiring.debounceMs,
  rearm_ms: newWiring.rearmMs,
  /** E-mail of the user whose device it is; needed only where several users have that dId. */
  user: name.optional(),
});
export type WiringRow = z.output<typeof wiringRow>;

type Wired = Pick<
  Wiring,
  "line" | "dId" | "actuatorId" | "activeLow" | "bias" | "debounceMs" | "rearmMs" | "valor"
>;

/** A command acts as an owner, whom the API shows each price. */
export function toRow({ line, dId, actuatorId, valor, activeLow, bias, debounceMs, rearmMs }: Wired) {
  return {
    line,
    device: dId,
    actuator: actuatorId,
    valor: valor ?? 0,
    active_low: activeLow,
    bias,
    debounce_ms: debounceMs,
    rearm_ms: rearmMs,
  };
}

/** The same line as the API has it. */
export function toWiring({ line, device, actuator, valor, bias, ...row }: Omit<WiringRow, "user">) {
  const { active_low: activeLow, debounce_ms: debounceMs, rearm_ms: rearmMs } = row;
  return { line, dId: device, actuatorId: actuator, valor, activeLow, bias, debounceMs, rearmMs };
}
