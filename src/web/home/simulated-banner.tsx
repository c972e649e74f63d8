import { useMessages } from "../messages/speech.ts";

/** Nobody may take made-up sales for real ones. */
export function SimulatedBanner() {
  const { simulated } = useMessages();
  return (
    <aside class="simulated">
      <strong>{simulated.title}</strong>
      <span>{simulated.detail}</span>
    </aside>
  );
}
