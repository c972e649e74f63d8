import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { Icon } from "../element/icon.tsx";
import { Link } from "../element/link.tsx";
import { readyValue } from "../live/part.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf, type View } from "../route.ts";
import { Announcer } from "./announcer.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { LivePill } from "./live-pill.tsx";
import { LostToast } from "./lost-toast.tsx";
import { Nav, SeldomNav } from "./nav.tsx";
import { SimulatedBanner } from "./simulated-banner.tsx";
import { useVisit } from "./visit.ts";
import { Wordmark } from "./wordmark.tsx";

interface ShellProps {
  readonly view: View;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

/** What stands around every view behind the session. */
export function Shell({ view, onSignOut, children }: ShellProps) {
  const texts = useTexts(frameTexts);
  const { user, live, status } = useVisit();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const gateway = readyValue(status);
  const isSimulated = gateway?.simulated === true;
  const hasFaults = (gateway?.faults.length ?? 0) > 0;
  useEffect(() => setMoreOpen(false), [view]);

  return (
    <div class={isSimulated ? "shell shell-simulated" : "shell"}>
      <a class="skip" href="#content">
        {texts.skipToContent}
      </a>
      <div class="shell-frame">
        <header class="side">
          <div class="side-top">
            <Link to={addressOf("panel")} class="side-name" label={texts.nav.home}>
              <Wordmark />
            </Link>
            <LivePill live={live} />
            {isSimulated && <strong class="side-simulated">{texts.simulated.title}</strong>}
          </div>
          <Nav view={view} hasFaults={hasFaults} isMoreOpen={isMoreOpen} onMore={() => setMoreOpen(true)} />
          <div class="side-foot">
            <p class="side-user">
              <Icon name="user" />
              <span>{user.name}</span>
            </p>
            <LanguageSwitch />
            <Button kind="quiet" icon="leave" onPress={onSignOut}>
              {texts.signOut}
            </Button>
          </div>
        </header>
        <div class="shell-main">
          {isSimulated && <SimulatedBanner />}
          <main class="content" id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      {isMoreOpen && (
        <Dialog title={user.name} onClose={() => setMoreOpen(false)}>
          <SeldomNav view={view} hasFaults={hasFaults} onGone={() => setMoreOpen(false)} />
          <div class="menu-foot">
            <LanguageSwitch />
            <Button kind="quiet" icon="leave" onPress={onSignOut}>
              {texts.signOut}
            </Button>
          </div>
        </Dialog>
      )}
      {live === "lost" && <LostToast />}
      <Announcer />
    </div>
  );
}
