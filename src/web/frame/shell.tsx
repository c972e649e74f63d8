import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { CloseProvider, FormFailure, useSending } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { createFormat } from "../format/format.ts";
import type { LiveEvent } from "../live/events.ts";
import { useGateway } from "../live/gateway.ts";
import { useTests } from "../live/use-loaded.ts";
import { frameTexts } from "../messages/frame.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { homeOf, maySee, type View } from "../route.ts";
import { announcementOf } from "./announcement.ts";
import { useKeptFocus } from "./kept-focus.ts";
import { Nav, SeldomNav } from "./nav.tsx";
import { GatewayMark, LanguageSwitch, Wordmark } from "./wordmark.tsx";

interface ShellProps {
  readonly view: View;
  readonly onSignOut: () => void;
  readonly children: ComponentChildren;
}

/** What stands around every view behind the session. */
export function Shell({ view, onSignOut, children }: ShellProps) {
  const texts = useTexts(frameTexts);
  const { locale } = useLanguage();
  const { self, live, heardMs, status, format, now } = useGateway();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const gateway = status.value;
  const simulated = gateway?.simulated === true;
  useEffect(() => setMoreOpen(false), [view]);
  // By their clocks at this moment, not by their names: Madrid and Paris have the same.
  const isElsewhere = useMemo(() => {
    const nowMs = now();
    return format.dateTime(nowMs) !== createFormat(locale, undefined).dateTime(nowMs);
  }, [format, locale]);
  const content = useRef<HTMLElement>(null);
  useKeptFocus(content);
  const lastButtons = (
    <>
      <LanguageSwitch />
      <Button kind="quiet" icon="leave" onPress={onSignOut}>
        {texts.signOut}
      </Button>
    </>
  );

  return (
    <div
      class={`shell${simulated ? " shell-simulated" : ""}${self.role === "display" ? " shell-board" : ""}`}
    >
      <a class="skip button button-main unprinted" href="#content">
        {texts.skipToContent}
      </a>
      {/* Made-up sales must not be taken for real ones: it stays in sight. */}
      {simulated && (
        <aside class="simulated" aria-label={texts.simulated.title}>
          <p class="clip">
            <strong>{texts.simulated.title}</strong> {texts.simulated.detail}
            <span class="simulated-why">{texts.simulated.why}</span>
          </p>
        </aside>
      )}
      <div class="shell-frame">
        <header class="side unprinted">
          <div class="side-top row spread">
            <Link to={homeOf(self)} label={texts.nav.home}>
              <Wordmark />
            </Link>
            {gateway !== undefined && <GatewayMark mark={gateway.gateway} />}
            {self.serves === "gateway" && live !== "lost" && (
              <span class={`tag tag-${live} beside whole`}>
                <span class="dot" aria-hidden="true" />
                <span>{texts.live[live]}</span>
              </span>
            )}
          </div>
          <Nav view={view} isMoreOpen={isMoreOpen} onMore={() => setMoreOpen(true)} />
          <div class="side-foot lines">
            <Link to="self" class="nav-link beside" label={texts.self(self.name)} isCurrent={view === "self"}>
              <Icon name="user" />
              <span class="clip">{self.name}</span>
            </Link>
            {lastButtons}
          </div>
        </header>
        <div class="shell-main">
          <TestBanner />
          <main class="content column" id="content" tabIndex={-1} ref={content}>
            {children}
            {isElsewhere && gateway !== undefined && (
              <p class="zone-note fine">{texts.otherZone(gateway.timeZone)}</p>
            )}
          </main>
        </div>
      </div>
      {isMoreOpen && (
        <CloseProvider value={() => setMoreOpen(false)}>
          <Dialog title={self.name}>
            <SeldomNav view={view} onGone={() => setMoreOpen(false)} />
            <div class="foot row spread">
              <Link to="self" class="button button-quiet">
                <Icon name="user" />
                {texts.selfShort}
              </Link>
              {lastButtons}
            </div>
          </Dialog>
        </CloseProvider>
      )}
      {/* It covers the foot of the page, so that nothing moves when it comes and goes. */}
      <div class="toasts unprinted">
        {live === "lost" && (
          <p class="toast">
            {self.serves === "company"
              ? texts.live.noAnswer
              : texts.live.lost(format.moment(heardMs(), now()))}
          </p>
        )}
      </div>
      <Announcer />
    </div>
  );
}

/** Says on every view that some rooms do not count. People who may start a test can end it here. */
function TestBanner() {
  const texts = useTexts(frameTexts).tests;
  const { api, format, now, self } = useGateway();
  const { isBusy, failure, send } = useSending();
  const tests = useTests();
  const untilMs = Math.max(...tests.map(({ untilMs }) => untilMs));
  if (tests.length === 0) return null;
  const until = format.moment(untilMs, now());
  const rooms = tests.map(({ room }) => room).sort(format.compare);
  return (
    <aside class="under-test is-warn beside spread">
      <div>
        <p class="clip-two">
          <strong>{texts.title(format.count(tests.length), until)}</strong>{" "}
          <span>{texts.detail(rooms.join(", "))}</span>
        </p>
        <FormFailure failure={failure} />
      </div>
      {maySee(self, "lines") && (
        <Button
          isBusy={isBusy}
          onPress={() => void send(() => api.remove("/api/commission", { pause: "true" }))}
        >
          {texts.end}
        </Button>
      )}
    </aside>
  );
}

/** Events are gathered for so long, so that a busy minute is not read out one by one. */
const GATHER_MS = 1_500;

/** Reads live changes aloud. */
function Announcer() {
  const { events, live, format } = useGateway();
  const texts = useTexts(frameTexts);
  const [text, setText] = useState("");
  const speech = useRef({ texts, format });
  speech.current = { texts, format };

  useEffect(() => {
    let gathered: LiveEvent[] = [];
    let timer: number | undefined;
    const tell = () => {
      timer = undefined;
      const announcement = announcementOf(gathered, speech.current.texts, speech.current.format);
      gathered = [];
      if (announcement !== "") setText(announcement);
    };
    const stop = events.listen((event) => {
      gathered.push(event);
      timer ??= setTimeout(tell, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [events]);

  const before = useRef(live);
  useEffect(() => {
    if (live === "lost") setText(texts.news.lost);
    if (live === "live" && before.current === "lost") setText(texts.news.live);
    before.current = live;
  }, [live, texts]);

  return (
    <p class="aloud" aria-live="polite">
      {text}
    </p>
  );
}
