import { FlancoError } from "../../src/domain/error.ts";

/** The FlancoError that a promise rejects with; throws when it resolves or rejects with another. */
export async function rejection(promise: Promise<unknown>): Promise<FlancoError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof FlancoError) return error;
    throw error;
  }
  throw new Error("It was expected to reject.");
}

/** The FlancoError that a call throws; throws when it returns or throws another. */
export function thrown(call: () => unknown): FlancoError {
  try {
    call();
  } catch (error) {
    if (error instanceof FlancoError) return error;
    throw error;
  }
  throw new Error("It was expected to throw.");
}
