import { Icon } from "../element/icon.tsx";
import { useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { addressOf, maySee, type View } from "../route.ts";

type NavView = Exclude<View, "guide" | "self">;

/** The views of every day come first: a phone's bar has room for these alone. */
const DAILY: readonly NavView[] = ["panel", "rooms", "records"];
const SELDOM: readonly NavView[] = ["report", "locations", "lines", "state", "people"];
interface NavProps {
  readonly view: View;
  /** Something needs to be seen to: the state is marked. */
  readonly hasFaults: boolean;
  readonly isMoreOpen: boolean;
  readonly onMore: () => void;
}

/** The ways to the views: at the side, or as a bar at a phone's foot, whose last button opens the rest. */
export function Nav({ view, hasFaults, isMoreOpen, onMore }: NavProps) {
  const texts = useTexts(frameTexts);
  const { user } = useGateway();
  const daily = DAILY.filter((to) => maySee(user.role, to));
  const seldom = SELDOM.filter((to) => maySee(user.role, to));
  return (
    <nav class="nav" aria-label={texts.nav.label}>
      <ul>
        {daily.map((to) => (
          <NavItem key={to} to={to} view={view} />
        ))}
        {seldom.map((to, index) => (
          <NavItem
            key={to}
            to={to}
            view={view}
            class={index === 0 ? "nav-seldom nav-gap" : "nav-seldom"}
            isMarked={to === "state" && hasFaults}
          />
        ))}
        <li class="nav-more">
          <button
            type="button"
            class="nav-link"
            aria-haspopup="dialog"
            aria-expanded={isMoreOpen}
            onClick={onMore}
          >
            <Icon name="more" />
            <span>{texts.nav.more}</span>
            {hasFaults && <Mark />}
          </button>
        </li>
      </ul>
    </nav>
  );
}

interface SeldomNavProps extends Pick<NavProps, "view" | "hasFaults"> {
  readonly onGone: () => void;
}

/** The seldom ways, for a phone's menu. */
export function SeldomNav({ view, hasFaults, onGone }: SeldomNavProps) {
  const texts = useTexts(frameTexts);
  const { user } = useGateway();
  return (
    <nav aria-label={texts.nav.more}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press on a link inside, by whatever means, arrives here as a click. */}
      <ul class="menu" onClick={onGone}>
        {SELDOM.filter((to) => maySee(user.role, to)).map((to) => (
          <NavItem key={to} to={to} view={view} isMarked={to === "state" && hasFaults} />
        ))}
      </ul>
    </nav>
  );
}

interface NavItemProps {
  readonly to: NavView;
  readonly view: View;
  readonly class?: string;
  readonly isMarked?: boolean;
}

function NavItem({ to, view, class: style, isMarked = false }: NavItemProps) {
  const texts = useTexts(frameTexts);
  return (
    <li class={style}>
      <Link to={addressOf(to)} class="nav-link" isCurrent={view === to}>
        <Icon name={to} />
        <span>{texts.nav[to]}</span>
        {isMarked && <Mark />}
      </Link>
    </li>
  );
}

function Mark() {
  const texts = useTexts(frameTexts);
  return (
    <span class="nav-mark">
      <span class="aloud">{texts.nav.marked}</span>
    </span>
  );
}
