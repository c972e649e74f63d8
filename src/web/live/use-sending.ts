import { useState } from "preact/hooks";
import { ApiFailure, UNREACHABLE } from "../api/failure.ts";

/** A request that a person asked for: a form, a button. */
export interface Sending {
  readonly isBusy: boolean;
  /** Why the last one did not succeed; null while nothing is wrong. */
  readonly failure: ApiFailure | null;
  /** Runs it; true when it succeeded. Asked again while it runs, it does nothing and gives false. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
  /** Forgets the failure. */
  readonly clear: () => void;
}

export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await work();
      return true;
    } catch (error) {
      console.warn(error);
      setFailure(error instanceof ApiFailure ? error : new ApiFailure(UNREACHABLE, String(error)));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, send, clear: () => setFailure(null) };
}
