import { loadTestedEdges } from "../api/lines.ts";
import { DataTable } from "../element/data-table.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";

/** What was switched on under test: kept apart from the sales. */
export function TestedPanel() {
  const texts = useTexts(linesTexts).tested;
  const { format, now } = useGateway();
  const edges = readyValue(useLoaded(loadTestedEdges, "", ["actuator", "tests"]).part) ?? [];
  if (edges.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="tested">
      <div class="panel-head">
        <h2 id="tested">{texts.title}</h2>
      </div>
      <p class="soft">{texts.intro}</p>
      <DataTable
        caption={texts.title}
        rows={edges}
        keyOf={({ line, time }) => `${line} ${time}`}
        columns={[
          { key: "room", title: texts.room, isName: true, cell: ({ room }) => room },
          { key: "line", title: texts.line, cell: ({ line }) => line },
          {
            key: "time",
            title: texts.time,
            cell: ({ time }) => <time dateTime={format.iso(time)}>{format.moment(time, now())}</time>,
          },
        ]}
      />
    </section>
  );
}
