import { useMemo } from "preact/hooks";
import type { User } from "../api/session.ts";
import { createFormat } from "../format/format.ts";
import { Header } from "../frame/header.tsx";
import { useTitle } from "../frame/title.ts";
import { useSpeech } from "../messages/speech.ts";
import { Announcer } from "./announcer.tsx";
import { LostToast } from "./lost-toast.tsx";
import { Notices } from "./notices.tsx";
import { RoomsPanel } from "./rooms-panel.tsx";
import { SalesPanel } from "./sales-panel.tsx";
import { SimulatedBanner } from "./simulated-banner.tsx";
import { isComplete } from "./state.ts";
import { StatusFoot } from "./status-foot.tsx";
import { useFeed } from "./use-feed.ts";
import { WeekPanel } from "./week-panel.tsx";

interface HomeProps {
  readonly user: User;
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

/** Everything at a glance: the week, the rooms, the latest sales, all of it live. */
export function Home({ user, onEnded, onSignOut }: HomeProps) {
  const { locale, messages } = useSpeech();
  useTitle(undefined);
  const { state, news, reload, loadOlder } = useFeed(onEnded);
  const status = state.status.kind === "ready" ? state.status.value : null;
  const timeZone = status?.timeZone;
  const format = useMemo(() => createFormat(locale, timeZone), [locale, timeZone]);
  const devices = state.devices.kind === "ready" ? state.devices.value : [];
  const sales = state.ledger.kind === "ready" ? state.ledger.value.sales : [];

  return (
    <div class="home">
      <a class="skip" href="#content">
        {messages.skipToContent}
      </a>
      {status?.simulated && <SimulatedBanner />}
      <Header
        userName={user.name}
        live={state.live}
        isSimulated={status?.simulated === true}
        onSignOut={onSignOut}
      />
      {isComplete(state) ? (
        <main class="home-main" id="content" tabIndex={-1}>
          <div class="home-left">
            {status !== null && <Notices status={status} lastLost={state.lastLost} format={format} />}
            <WeekPanel part={state.week} devices={devices} format={format} onRetry={reload} />
            <RoomsPanel
              part={state.devices}
              changes={state.roomChanges}
              sales={sales}
              format={format}
              onRetry={reload}
            />
          </div>
          <SalesPanel
            part={state.ledger}
            devices={devices}
            format={format}
            isLoadingOlder={state.loadingOlder}
            onOlder={loadOlder}
            onRetry={reload}
          />
        </main>
      ) : (
        <main class="home-main" id="content" tabIndex={-1} aria-busy="true">
          <p class="aloud">{messages.loading}</p>
        </main>
      )}
      {status !== null && <StatusFoot status={status} />}
      {state.live === "lost" && <LostToast />}
      <Announcer news={news} live={state.live} format={format} />
    </div>
  );
}
