import type { Status } from "../api/status.ts";
import { useMessages } from "../messages/speech.ts";

/** How the gateway is, for whoever asks. */
export function StatusFoot({ status }: { readonly status: Status }) {
  const { foot } = useMessages();
  return (
    <footer class="foot">
      <span>{foot.watched(status.linesWatched)}</span>
      <span>{foot.zone(status.timeZone)}</span>
    </footer>
  );
}
