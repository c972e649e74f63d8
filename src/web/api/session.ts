import type { Ahead } from "./ahead.ts";
import { statusOf } from "./failure.ts";
import { object, text } from "./read.ts";
import { type Answer, send } from "./send.ts";

export interface User {
  readonly name: string;
  readonly email: string;
}

export interface FirstUser {
  /** From the one-time link. */
  readonly token: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

const UNAUTHORIZED = 401;

/** Asks who is signed in. */
export const VERIFY_PATH = "/api/verify";

/** Who is signed in; null for nobody. Throws ApiFailure when the server cannot tell. */
export async function currentUser(ahead: Ahead): Promise<User | null> {
  try {
    return userOf(await ahead.get(VERIFY_PATH));
  } catch (error) {
    if (statusOf(error) === UNAUTHORIZED) return null;
    throw error;
  }
}

/** Throws ApiFailure, with status 401 for a wrong e-mail or password. */
export async function signIn(email: string, password: string): Promise<User> {
  return userOf(await send({ method: "POST", path: "/api/login", body: { email, password } }));
}

export async function signOut(): Promise<void> {
  await send({ method: "POST", path: "/api/logout", body: {} });
}

/** Makes the first user and signs in. Throws ApiFailure: 400 names the fields, other 4xx mean a link that no longer works. */
export async function makeFirstUser(user: FirstUser): Promise<User> {
  return userOf(await send({ method: "POST", path: "/api/first-run", body: user }));
}

function userOf({ body }: Answer): User {
  const data = object(body["userData"], "userData");
  return { name: text(data, "name"), email: text(data, "email") };
}
