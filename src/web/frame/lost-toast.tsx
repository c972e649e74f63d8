import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";

/** Lies over the foot of the page, so that nothing moves when the connection comes and goes. */
export function LostToast() {
  const { live } = useTexts(frameTexts);
  return <p class="toast">{live.lostDetail}</p>;
}
