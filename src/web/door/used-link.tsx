import { useMessages } from "../messages/speech.ts";
import { Door } from "./door.tsx";

/** What to do about a first-run link that no longer works. */
export function UsedLink({ onLeave }: { readonly onLeave: () => void }) {
  const { firstRun } = useMessages();
  return (
    <Door title={firstRun.tooLate}>
      <div role="alert">
        <p>{firstRun.tooLateWhy}</p>
        <p>{firstRun.tooLateWhatToDo}</p>
      </div>
      <button type="button" class="button" onClick={onLeave}>
        {firstRun.toSignIn}
      </button>
    </Door>
  );
}
