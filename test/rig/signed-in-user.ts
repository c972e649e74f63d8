import type { IncomingMessage } from "node:http";
import type supertest from "supertest";
import type { Member, Role } from "../../src/domain/member.ts";
import { begin } from "./exchange.ts";

/** An appliance, as far as a client has to do with it. */
interface ReachedAppliance {
  readonly port: number;
  readonly api: ReturnType<typeof supertest>;
}

/** A member with a session, whose requests carry its cookie. The first member of an account has the account's id. */
export class SignedInUser implements Member {
  readonly id: string;
  readonly userId: string;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  /** As a client sends it: `auth_token=…`. */
  readonly cookie: string;
  readonly #appliance: ReachedAppliance;

  constructor(appliance: ReachedAppliance, { id, userId, role, name, email }: Member, cookie: string) {
    this.#appliance = appliance;
    this.id = id;
    this.userId = userId;
    this.role = role;
    this.name = name;
    this.email = email;
    this.cookie = cookie;
  }

  get token(): string {
    return this.cookie.replace("auth_token=", "");
  }

  /** Asks for a path, and gives the answer before its body is read. */
  async begin(path: string): Promise<IncomingMessage> {
    return begin(`http://127.0.0.1:${this.#appliance.port}${path}`, this.cookie);
  }

  get(path: string, query: object = {}) {
    return this.#with(this.#appliance.api.get(path)).query(query);
  }

  /** What a GET that succeeds has as its data. */
  async data(path: string, query: object = {}) {
    return (await this.get(path, query).expect(200)).body.data;
  }

  /** Every page of a list, one after the other. */
  async pages(path: string, limit: number): Promise<Record<string, unknown>[][]> {
    const found: Record<string, unknown>[][] = [];
    for (let before: unknown; before !== null; ) {
      const { body } = await this.get(path, { limit, before }).expect(200);
      found.push(body.data);
      before = body.next;
    }
    return found;
  }

  head(path: string) {
    return this.#with(this.#appliance.api.head(path));
  }

  delete(path: string, query: object = {}) {
    return this.#with(this.#appliance.api.delete(path)).query(query);
  }

  post(path: string, body?: string | object) {
    return this.#with(this.#appliance.api.post(path), body);
  }

  put(path: string, body?: string | object) {
    return this.#with(this.#appliance.api.put(path), body);
  }

  patch(path: string, body?: string | object) {
    return this.#with(this.#appliance.api.patch(path), body);
  }

  #with(request: supertest.Test, body?: string | object) {
    request.set("Cookie", this.cookie);
    return body === undefined ? request : request.send(body);
  }
}

/** The session's cookie that an answer sets, as a client sends it. */
export function cookieOf({ headers }: Pick<supertest.Response, "headers">): string {
  return String(headers["set-cookie"]).split(";")[0] ?? "";
}
