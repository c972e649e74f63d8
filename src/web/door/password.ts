import { passwordBytes } from "../../domain/password.ts";
import { PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARACTERS } from "../../domain/user.ts";

/** How a new password and its repetition stand to the service's rules. */
export interface PasswordCheck {
  readonly isLongEnough: boolean;
  readonly isShortEnough: boolean;
  /** False also while both are empty: nothing has been repeated yet. */
  readonly isRepeated: boolean;
}

/** Judges by the service's own measures: characters are code points, bytes those of UTF-8. */
export function checkPassword(password: string, again: string): PasswordCheck {
  return {
    isLongEnough: [...password].length >= PASSWORD_MIN_CHARACTERS,
    isShortEnough: passwordBytes(password) <= PASSWORD_MAX_BYTES,
    isRepeated: password !== "" && password === again,
  };
}
