import { useLayoutEffect, useState } from "preact/hooks";
import type { User } from "./api/session.ts";
import { FirstRun } from "./door/first-run.tsx";
import { SignIn } from "./door/sign-in.tsx";
import { warmUp } from "./format/format.ts";
import { VisitRoom } from "./frame/visit-room.tsx";
import { SpeechProvider, useChosenSpeech, useSpeech } from "./messages/speech.ts";
import { NavigationProvider, useAddressBar, useNavigation } from "./navigation.ts";
import { addressOf } from "./route.ts";
import { useSession } from "./session.ts";
import { UnknownPage } from "./unknown-page.tsx";
import { Unreachable } from "./unreachable.tsx";

/** The whole page: a language, an address, a session, and the view of the address. */
export function App() {
  return (
    <SpeechProvider value={useChosenSpeech()}>
      <NavigationProvider value={useAddressBar()}>
        <Views />
      </NavigationProvider>
    </SpeechProvider>
  );
}

function Views() {
  const { route, replace } = useNavigation();
  const { session, onSignedIn, onEnded, onSignOut } = useSession();
  const { locale } = useSpeech();
  // After the first request has left, and before its answer is there.
  useLayoutEffect(() => warmUp(locale), [locale]);
  // One visit per sign-in: whoever signs in sees nothing of the one before.
  const [visit, setVisit] = useState(0);
  const enter = (user: User) => {
    setVisit(visit + 1);
    onSignedIn(user);
  };

  if (route.view === "first_run") {
    const arrive = (user: User) => {
      replace(addressOf("guide"));
      enter(user);
    };
    return <FirstRun token={route.token} onSignedIn={arrive} onLeave={() => replace(addressOf("panel"))} />;
  }
  switch (session.kind) {
    case "checking":
      return null;
    case "unreachable":
      return <Unreachable />;
    case "signed_out":
      // The address stays: whoever signs in again is where they were.
      return <SignIn hasEnded={session.hasEnded} onSignedIn={enter} />;
    case "signed_in":
      if (route.view === "unknown") return <UnknownPage onHome={() => replace(addressOf("panel"))} />;
      return (
        <VisitRoom
          key={visit}
          user={session.user}
          firstStatus={session.status}
          view={route.view}
          onEnded={onEnded}
          onSignOut={onSignOut}
        />
      );
  }
}
