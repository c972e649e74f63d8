import { useMessages } from "../messages/speech.ts";

/** Lies over the foot of the page, so that nothing moves when the connection comes and goes. */
export function LostToast() {
  const { live } = useMessages();
  return <p class="toast">{live.lostDetail}</p>;
}
