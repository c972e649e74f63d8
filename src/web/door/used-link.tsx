import { firstRunTexts } from "../messages/first-run.ts";
import { useTexts } from "../messages/speech.ts";
import { Door } from "./door.tsx";

/** What to do about a first-run link that no longer works. */
export function UsedLink({ onLeave }: { readonly onLeave: () => void }) {
  const firstRun = useTexts(firstRunTexts);
  return (
    <Door title={firstRun.tooLate}>
      <div role="alert">
        <p>{firstRun.tooLateWhy}</p>
        <p>{firstRun.tooLateWhatToDo}</p>
      </div>
      <button type="button" class="button button-main" onClick={onLeave}>
        {firstRun.toSignIn}
      </button>
    </Door>
  );
}
