import { request } from "node:http";
import type { Appliance } from "./appliance.ts";

export interface Exchange {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One request with exactly these headers and bytes: nothing is encoded, typed or asserted on the way. */
export function exchange(
  appliance: Appliance,
  method: string,
  path: string,
  { headers = {}, body = Buffer.alloc(0) }: Exchange = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port: appliance.port, method, path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
