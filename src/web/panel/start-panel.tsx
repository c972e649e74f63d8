import { Link } from "../element/link.tsx";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";

/** For a gateway without a device: the way to the first one. */
export function StartPanel() {
  const { start } = useTexts(panelTexts);
  return (
    <section class="panel start" aria-labelledby="start-title">
      <div>
        <h2 id="start-title">{start.title}</h2>
        <p>{start.detail}</p>
      </div>
      <Link to={addressOf("guide")} class="button button-main">
        {start.go}
      </Link>
    </section>
  );
}
