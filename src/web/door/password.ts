import { PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARACTERS, passwordBytes } from "../../domain/user.ts";

/** Which of the service's rules a new password and its repetition meet. */
interface PasswordCheck {
  readonly isLongEnough: boolean;
  readonly isShortEnough: boolean;
  /** False also while both are empty: nothing has been repeated yet. */
  readonly isRepeated: boolean;
}

/** By the service's own rules: characters are code points, bytes are those of UTF-8. */
export function checkPassword(password: string, again: string): PasswordCheck {
  return {
    isLongEnough: [...password].length >= PASSWORD_MIN_CHARACTERS,
    isShortEnough: passwordBytes(password) <= PASSWORD_MAX_BYTES,
    isRepeated: password !== "" && password === again,
  };
}
