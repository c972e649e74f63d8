import { useState } from "preact/hooks";
import type { Ahead } from "./api/ahead.ts";
import type { User } from "./api/session.ts";
import { FirstRun } from "./door/first-run.tsx";
import { SignIn } from "./door/sign-in.tsx";
import { VisitRoom } from "./frame/visit-room.tsx";
import { SpeechProvider, useChosenSpeech } from "./messages/speech.ts";
import { NavigationProvider, useAddressBar, useNavigation } from "./navigation.ts";
import { addressOf } from "./route.ts";
import { useSession } from "./session.ts";
import { UnknownPage } from "./unknown-page.tsx";
import { Unreachable } from "./unreachable.tsx";

/** The whole page: a language, an address, a session, and the view of the address. `ahead`: what was asked for before. */
export function App({ ahead }: { readonly ahead: Ahead }) {
  return (
    <SpeechProvider value={useChosenSpeech()}>
      <NavigationProvider value={useAddressBar()}>
        <Views ahead={ahead} />
      </NavigationProvider>
    </SpeechProvider>
  );
}

function Views({ ahead }: { readonly ahead: Ahead }) {
  const { route, replace } = useNavigation();
  const { session, onSignedIn, onEnded, onSignOut } = useSession(ahead);
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
    const leave = () => replace(addressOf("panel"));
    return <FirstRun token={route.token} presetEmail={route.email} onSignedIn={arrive} onLeave={leave} />;
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
          ahead={ahead}
          view={route.view}
          onEnded={onEnded}
          onSignOut={onSignOut}
        />
      );
  }
}
