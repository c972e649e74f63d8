import type { Status } from "../api/status.ts";
import { useFormat } from "../frame/visit.ts";
import { useTexts } from "../messages/speech.ts";
import { stateTexts } from "../messages/state.ts";
import { ageText } from "./age.ts";
import { driverText } from "./driver-text.ts";
import { StateCard } from "./state-card.tsx";

/** The program itself. */
export function ProgramCard({ status: { version, uptimeMs, driver } }: { readonly status: Status }) {
  const texts = useTexts(stateTexts);
  const format = useFormat();
  return (
    <StateCard title={texts.program} answer={texts.version(version)}>
      <p>{texts.uptime(ageText(uptimeMs, texts, format))}</p>
      <p>{texts.driver(driverText(driver, texts.drivers))}</p>
    </StateCard>
  );
}
