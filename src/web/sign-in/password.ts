import { PASSWORD_MIN_CHARACTERS } from "../../domain/account.ts";

/** Which of the service's rules a new password and its repetition meet. */
interface PasswordCheck {
  readonly isLongEnough: boolean;
  /** False also while both are empty: nothing has been repeated yet. */
  readonly isRepeated: boolean;
}

/** By the service's own rules: characters are code points. It alone counts bytes. */
export function checkPassword(password: string, again: string): PasswordCheck {
  return {
    isLongEnough: [...password].length >= PASSWORD_MIN_CHARACTERS,
    isRepeated: password !== "" && password === again,
  };
}
