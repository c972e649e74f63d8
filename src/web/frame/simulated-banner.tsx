import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";

/** Nobody may take made-up sales for real ones. */
export function SimulatedBanner() {
  const { simulated } = useTexts(frameTexts);
  return (
    <aside class="simulated">
      <strong>{simulated.title}</strong>
      <span>{simulated.detail}</span>
    </aside>
  );
}
