import { useRef } from "preact/hooks";

/**
 * Gives the `Idempotency-Key` of what a form sends: the same as long as that stays the same, so
 * that what is sent again after a lost answer is entered once.
 */
export function useRequestKey(): (body: object) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.text) last.current = { text, key: `${Date.now()} ${Math.random()}` };
    return last.current.key;
  };
}
