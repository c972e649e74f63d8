import { FlancoError } from "../../src/domain/error.ts";

/** The FlancoError that a promise rejects with; throws when it resolves or rejects with another. */
export async function rejection(promise: Promise<unknown>): Promise<FlancoError> {
  try {
    await promise;
  } catch (error) {
    return expected(error);
  }
  throw new Error("It was expected to reject.");
}

/** The FlancoError that a call throws; throws when it returns or throws another. */
export function thrown(call: () => unknown): FlancoError {
  try {
    call();
  } catch (error) {
    return expected(error);
  }
  throw new Error("It was expected to throw.");
}

/** The code of the FlancoError that a call fails with, at once or later; "done" when it succeeds. */
export async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return "done";
  } catch (error) {
    return expected(error).code;
  }
}

function expected(error: unknown): FlancoError {
  if (error instanceof FlancoError) return error;
  throw error;
}
