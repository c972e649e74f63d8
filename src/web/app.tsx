import { useEffect } from "preact/hooks";
import type { Self } from "./api/shapes.ts";
import { Button } from "./element/button.tsx";
import { PlainPage, WaitingPage } from "./frame/plain-page.tsx";
import { Shell } from "./frame/shell.tsx";
import { ShownView } from "./frame/shown-view.tsx";
import { GatewayProvider, useGatewayConnection } from "./live/gateway.ts";
import { frameTexts } from "./messages/frame.ts";
import { LanguageProvider, useChosenLanguage, useTexts } from "./messages/use-language.ts";
import { NavigationProvider, useAddressBar, useNavigation } from "./navigation.tsx";
import { homeOf, maySee, type View } from "./route.ts";
import { useSession } from "./session.ts";
import { ChoosePassword, FirstRun, SignIn, SignInAgain } from "./sign-in/sign-in.tsx";

/** The whole page: a language, an address, a session, and the view of the address. */
export function App() {
  return (
    <LanguageProvider value={useChosenLanguage()}>
      <NavigationProvider value={useAddressBar()}>
        <Views />
      </NavigationProvider>
    </LanguageProvider>
  );
}

function Views() {
  const texts = useTexts(frameTexts);
  const { route, replace } = useNavigation();
  const { session, onSignedIn, onEnded, onSignOut } = useSession();

  if (route.view === "first_run" || route.view === "link") {
    const arriveAt = route.view === "first_run" ? "guide" : "panel";
    const arrive = (self: Self) => {
      replace(arriveAt);
      onSignedIn(self);
    };
    const props = { token: route.token, presetEmail: route.email, onSignedIn: arrive };
    const leave = () => replace("panel");
    const Link = route.view === "first_run" ? FirstRun : ChoosePassword;
    return <Link {...props} onLeave={leave} />;
  }
  switch (session.kind) {
    case "checking":
      return <WaitingPage />;
    case "unreachable":
      return (
        <PlainPage>
          <p role="alert">{texts.live.unreachable}</p>
        </PlainPage>
      );
    case "signed_out":
      // The address stays: a new sign-in leads back to it.
      return <SignIn onSignedIn={onSignedIn} />;
    case "signed_in":
    case "ended": {
      if (route.view === "unknown") return <UnknownPage onHome={() => replace("panel")} />;
      const { self } = session;
      const hasEnded = session.kind === "ended";
      return (
        <>
          {hasEnded && <SignInAgain onSignedIn={onSignedIn} />}
          <SignedIn
            // Another member's page, and one of another role, begins empty: it shows nothing of the session before.
            key={`${self._id} ${self.role}`}
            self={self}
            hasEnded={hasEnded}
            view={route.view}
            onSelf={onSignedIn}
            onEnded={onEnded}
            onSignOut={onSignOut}
          />
        </>
      );
    }
  }
}

interface SignedInProps {
  readonly self: Self;
  /** The session is over: the page stands still until the user signs in again. */
  readonly hasEnded: boolean;
  readonly view: View;
  readonly onSelf: (self: Self) => void;
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

/** Everything behind the session: one connection to the gateway, and the view of the address. */
function SignedIn({ self, hasEnded, view, onSelf, onEnded, onSignOut }: SignedInProps) {
  const { replace } = useNavigation();
  const gateway = useGatewayConnection(self, hasEnded, onSelf, onEnded);
  const isSeen = maySee(self, view);
  useEffect(() => {
    if (!isSeen) replace(homeOf(self));
  }, [isSeen, self, replace]);
  if (!isSeen) return null;
  // Amounts and dates need the gateway's currency and zone: nothing is shown by a guess and changed after.
  if (gateway.status.kind === "waiting") return <WaitingPage />;
  return (
    <GatewayProvider value={gateway}>
      <Shell view={view} onSignOut={onSignOut}>
        <ShownView view={view} />
      </Shell>
    </GatewayProvider>
  );
}

/** For an address that no view has. */
function UnknownPage({ onHome }: { readonly onHome: () => void }) {
  const { unknownPage } = useTexts(frameTexts);
  return (
    <PlainPage>
      <h1>{unknownPage.title}</h1>
      <Button kind="main" onPress={onHome}>
        {unknownPage.home}
      </Button>
    </PlainPage>
  );
}
