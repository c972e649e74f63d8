import { endTests } from "../api/lines.ts";
import { Button } from "../element/button.tsx";
import { useSending } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { useTests } from "../live/use-tests.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { maySee } from "../route.ts";

/** Says on every view that some rooms do not count. People who may start a test can end it here. */
export function TestBanner() {
  const texts = useTexts(frameTexts).tests;
  const { api, format, now, user } = useGateway();
  const { isBusy, send } = useSending();
  const tests = useTests();
  const untilMs = Math.max(...tests.map(({ untilTime }) => untilTime));
  if (tests.length === 0) return null;
  const until = format.moment(untilMs, now());
  const rooms = tests.map(({ room }) => room).sort(format.compare);
  return (
    <aside class="under-test">
      <p>
        <strong>{texts.title(tests.length, format.count(tests.length), until)}</strong>{" "}
        <span>{texts.detail(rooms.join(", "))}</span>
      </p>
      {maySee(user.role, "lines") && (
        <Button isBusy={isBusy} onPress={() => void send(() => endTests(api))}>
          {texts.end}
        </Button>
      )}
    </aside>
  );
}
