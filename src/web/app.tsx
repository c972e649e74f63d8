import { useState } from "preact/hooks";
import type { User } from "./api/session.ts";
import { FirstRun } from "./door/first-run.tsx";
import { SignIn } from "./door/sign-in.tsx";
import { Home } from "./home/home.tsx";
import { SpeechProvider, useChosenSpeech } from "./messages/speech.ts";
import { useRoute } from "./navigation.ts";
import { HOME_PATH } from "./route.ts";
import { useSession } from "./session.ts";
import { UnknownPage } from "./unknown-page.tsx";
import { Unreachable } from "./unreachable.tsx";

/** The whole page: a language, a session, and the view of the address. */
export function App() {
  return (
    <SpeechProvider value={useChosenSpeech()}>
      <Views />
    </SpeechProvider>
  );
}

function Views() {
  const { route, replace } = useRoute();
  const { session, onSignedIn, onEnded, onSignOut } = useSession();
  // One Home per session: whoever signs in sees nothing of the one before.
  const [visit, setVisit] = useState(0);
  const enter = (user: User) => {
    setVisit(visit + 1);
    onSignedIn(user);
  };

  if (route.view === "first_run") {
    const arrive = (user: User) => {
      replace(HOME_PATH);
      enter(user);
    };
    return <FirstRun token={route.token} onSignedIn={arrive} onLeave={() => replace(HOME_PATH)} />;
  }
  switch (session.kind) {
    case "checking":
      return null;
    case "unreachable":
      return <Unreachable />;
    case "signed_out":
      return <SignIn hasEnded={session.hasEnded} onSignedIn={enter} />;
    case "signed_in":
      if (route.view === "unknown") return <UnknownPage onHome={() => replace(HOME_PATH)} />;
      return <Home key={visit} user={session.user} onEnded={onEnded} onSignOut={onSignOut} />;
  }
}
