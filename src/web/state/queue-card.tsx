import type { Status } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { StateCard } from "./state-card.tsx";

/** A queue this full, of 1, tells of a disk that does not keep up. */
const MUCH = 0.5;

/** What waits to be kept. */
export function QueueCard({ queues: { edges, writes } }: { readonly queues: Status["queues"] }) {
  const texts = useTexts(stateTexts);
  const { count } = useFormat();
  const waiting = edges.waiting + writes.waiting;
  const isMuch = edges.waiting > edges.limit * MUCH || writes.waiting > writes.limit * MUCH;
  return (
    <StateCard
      title={texts.work}
      answer={waiting === 0 ? texts.workNone : texts.workWaiting(count(waiting))}
      kind={isMuch ? "bad" : "well"}
    >
      {waiting === 0 ? (
        <p>{texts.workNoneDetail}</p>
      ) : (
        <>
          <p>{texts.workEdges(count(edges.waiting), count(edges.limit))}</p>
          <p>{texts.workWrites(count(writes.waiting), count(writes.limit))}</p>
        </>
      )}
    </StateCard>
  );
}
