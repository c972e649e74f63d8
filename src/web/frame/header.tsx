import type { LiveState } from "../live/connection.ts";
import { useMessages } from "../messages/speech.ts";
import { LanguageSwitch } from "./language-switch.tsx";
import { LivePill } from "./live-pill.tsx";
import { Wordmark } from "./wordmark.tsx";

interface HeaderProps {
  readonly userName: string;
  readonly live: LiveState;
  readonly isSimulated: boolean;
  readonly onSignOut: () => void;
}

export function Header({ userName, live, isSimulated, onSignOut }: HeaderProps) {
  const messages = useMessages();
  return (
    <header class={isSimulated ? "header header-simulated" : "header"}>
      <h1 class="header-name">
        <Wordmark />
      </h1>
      <LivePill live={live} />
      {isSimulated && <span class="header-simulated-tag">{messages.simulated.title}</span>}
      <span class="header-user">{userName}</span>
      <LanguageSwitch />
      <button type="button" class="quiet-button" onClick={onSignOut}>
        {messages.signOut}
      </button>
    </header>
  );
}
