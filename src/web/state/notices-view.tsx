import type { SetupName } from "../../domain/sink.ts";
import { NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway, useGatewayStatus } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { useTexts } from "../messages/use-language.ts";
import { SendingPanel } from "./sending.tsx";

const FOR_PEOPLE: readonly SetupName[] = ["email", "notice"];
/** What another program or a company needs: its address comes from a technician. */
const FOR_PROGRAMS: readonly SetupName[] = ["webhook", "pulse", "mqtt", "central"];

/** The owner's view of what people and other programs are told. */
export function NoticesView() {
  const texts = useTexts(sinkTexts);
  const title = useTexts(frameTexts).nav.notices;
  const { reloadStatus } = useGateway();
  const known = useGatewayStatus();
  return (
    <ViewFrame title={title} intro={texts.noticesIntro}>
      <NotReadyPanel of={{ ...known, reload: reloadStatus }} />
      {known.value !== undefined && (
        <>
          <SendingPanel
            title={texts.toPeople}
            intro={texts.toPeopleIntro}
            names={FOR_PEOPLE}
            sinks={known.value.sinks}
          />
          <SendingPanel
            title={texts.toPrograms}
            intro={texts.toProgramsIntro}
            names={FOR_PROGRAMS}
            sinks={known.value.sinks}
            isFolded
          />
        </>
      )}
    </ViewFrame>
  );
}
