import { Fragment } from "preact";
import { Icon } from "../element/icon.tsx";
import { useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee, type NavView, navGroupsOf, type View } from "../route.ts";

interface NavProps {
  readonly view: View;
  readonly isMoreOpen: boolean;
  readonly onMore: () => void;
}

/** The ways to the views: at the side, or as a bar at a phone's foot, whose last button opens the rest. */
export function Nav({ view, isMoreOpen, onMore }: NavProps) {
  const texts = useTexts(frameTexts);
  const { self } = useGateway();
  const groups = navGroupsOf(self);
  const marked = useMarked();
  const isDaily = (of: View) => groups[0]?.views.some((to) => to === of);
  return (
    <nav class="nav" aria-label={texts.nav.label}>
      <ul class="lines">
        {groups.map(({ name, views }, index) => (
          <Fragment key={name}>
            {groups.length > 1 && <li class="nav-heading nav-seldom fine">{texts.nav.groups[name]}</li>}
            {views.map((to) => (
              <NavItem key={to} to={to} view={view} class={index === 0 ? undefined : "nav-seldom"} />
            ))}
          </Fragment>
        ))}
        <li class="nav-more">
          <button
            type="button"
            class="nav-link beside"
            aria-current={isDaily(view) ? undefined : "true"}
            aria-haspopup="dialog"
            aria-expanded={isMoreOpen}
            onClick={onMore}
          >
            <Icon name="more" />
            <span>{texts.nav.more}</span>
            {marked !== null && !isDaily(marked) && <Mark />}
          </button>
        </li>
      </ul>
    </nav>
  );
}

interface SeldomNavProps extends Pick<NavProps, "view"> {
  readonly onGone: () => void;
}

/** The seldom ways, for a phone's menu. */
export function SeldomNav({ view, onGone }: SeldomNavProps) {
  const texts = useTexts(frameTexts);
  const { self } = useGateway();
  const [, ...groups] = navGroupsOf(self);
  if (groups.length === 0) return null;
  return (
    <nav aria-label={texts.nav.more}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press on a link inside, by whatever means, arrives here as a click. */}
      <ul class="menu lines" onClick={onGone}>
        {groups.map(({ name, views }) => (
          <Fragment key={name}>
            <li class="nav-heading fine">{texts.nav.groups[name]}</li>
            {views.map((to) => (
              <NavItem key={to} to={to} view={view} />
            ))}
          </Fragment>
        ))}
      </ul>
    </nav>
  );
}

interface NavItemProps {
  readonly to: NavView;
  readonly view: View;
  readonly class?: string | undefined;
}

function NavItem({ to, view, class: style }: NavItemProps) {
  const texts = useTexts(frameTexts);
  const isMarked = useMarked() === to;
  return (
    <li class={style}>
      <Link to={to} class="nav-link beside" isCurrent={view === to}>
        <Icon name={to} />
        <span>{texts.nav[to]}</span>
        {isMarked && <Mark />}
      </Link>
    </li>
  );
}

/** The view that shows what needs to be seen to, where the member sees it and there is something. */
function useMarked(): NavView | null {
  const { status, self } = useGateway();
  const known = status.value;
  if (known === undefined) return null;
  if ("troubled" in known) return known.troubled > 0 ? "gateways" : null;
  return maySee(self, "state") && known.faults.length > 0 ? "state" : null;
}

function Mark() {
  const texts = useTexts(frameTexts);
  return (
    <span class="nav-mark dot dot-full">
      <span class="aloud">{texts.nav.marked}</span>
    </span>
  );
}
