import type { LiveState } from "../live/connection.ts";
import { useMessages } from "../messages/speech.ts";
import { LanguageSwitch } from "./language-switch.tsx";
import { LivePill } from "./live-pill.tsx";
import { Wordmark } from "./wordmark.tsx";

interface HeaderProps {
  readonly userName: string;
  readonly live: LiveState;
  readonly onSignOut: () => void;
}

export function Header({ userName, live, onSignOut }: HeaderProps) {
  const messages = useMessages();
  return (
    <header class="header">
      <a class="skip" href="#content">
        {messages.skipToContent}
      </a>
      <h1 class="header-name">
        <Wordmark />
      </h1>
      <LivePill live={live} />
      <span class="header-user">{userName}</span>
      <LanguageSwitch />
      <button type="button" class="quiet-button" onClick={onSignOut}>
        {messages.signOut}
      </button>
    </header>
  );
}
