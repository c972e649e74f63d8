/** What the password thread is asked. A null hash is compared with nobody's, at the same cost. */
export type PasswordTask =
  | { readonly kind: "hash"; readonly password: string }
  | { readonly kind: "compare"; readonly password: string; readonly hash: string | null };

export interface PasswordQuestion {
  readonly id: number;
  readonly task: PasswordTask;
}

export interface PasswordAnswer {
  readonly id: number;
  readonly result: string | boolean;
}
