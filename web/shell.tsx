import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { openAsks } from "./data/asks.ts";
import { chooseAsk, chosenAsk, isChosenAskSeen, showsAnotherAsk } from "./data/chosen.ts";
import { keepTyping, onKeys } from "./data/keyboard.ts";
import { go, route } from "./data/navigation.ts";
import { board } from "./data/seen.ts";
import { NEED_NAMES, NEEDS } from "./model/needs.ts";
import { hrefOf, type Route } from "./model/route.ts";
import { Foot, OpenDialog, showKeys } from "./ui/foot.tsx";
import { LinkState } from "./ui/link-state.tsx";
import { SessionLink } from "./ui/session-link.tsx";
import { Toasts } from "./ui/toasts.tsx";

const PLACES = [
  { page: "home", name: "Home" },
  { page: "inbox", name: "Inbox" },
  { page: "search", name: "Search", query: "" },
  { page: "usage", name: "Usage" },
  { page: "agents", name: "Agents" },
] as const;

/** So many sessions of a group are in the side bar; the home page has all. */
const LISTED = 12;

function Places({ style }: { style?: string }) {
  const { page } = route.value;
  const waiting = openAsks.value.length;
  return PLACES.map(({ name, ...place }) => (
    <a key={name} class={style} href={hrefOf(place)} aria-current={page === place.page ? "page" : undefined}>
      <span>{name}</span>
      {place.page === "inbox" && waiting > 0 && <span class="badge">{waiting}</span>}
    </a>
  ));
}

function SideList({ now }: { now: Route }) {
  return NEEDS.map((need) => {
    const ids = board.value[need];
    if (ids.length === 0) return null;
    return (
      <section key={need}>
        <h2>
          {NEED_NAMES[need]} {ids.length}
        </h2>
        {ids.slice(0, LISTED).map((id) => (
          <SessionLink key={id} id={id} need={need} current={now.page === "session" && now.session === id} />
        ))}
        {ids.length > LISTED && <a href={hrefOf({ page: "home" })}>all {ids.length}</a>}
      </section>
    );
  });
}

/** The card of the chosen ask. A sub-agent's may be on the page twice, and one of them folded away. */
function chosenCard(): Element | undefined {
  const cards = document.querySelectorAll(`[data-ask="${CSS.escape(chosenAsk.value ?? "")}"]`);
  return [...cards].find((card) => card.checkVisibility());
}

/** Whether a person sees the middle of an element: it is on the screen, and nothing lies over it. */
function isInSight(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return seen !== null && (element.contains(seen) || seen.contains(element));
}

/** Presses a button of the ask that is chosen. One that is out of sight is shown instead: nobody answers it unseen. */
function press(answer: "once" | "reject"): void {
  const button = chosenCard()?.querySelector(`button[data-answer="${answer}"]`);
  if (!(button instanceof HTMLButtonElement)) return;
  if (!isInSight(button)) {
    button.scrollIntoView({ block: "center" });
    showsAnotherAsk();
    return;
  }
  const onlyOpens = button.hasAttribute("aria-expanded");
  if (onlyOpens || isChosenAskSeen()) button.click();
}

function choose(step: 1 | -1): void {
  chooseAsk(step);
  chosenCard()?.scrollIntoView({ block: "nearest" });
}

/** The keys that count on every page. */
function useKeys(): void {
  useEffect(
    () =>
      onKeys({
        inbox: () => go({ page: "inbox" }),
        home: () => go({ page: "home" }),
        usage: () => go({ page: "usage" }),
        agents: () => go({ page: "agents" }),
        search: () => {
          keepTyping(() => route.value.page === "search");
          go({ page: "search", query: "" });
        },
        new: () => go({ page: "new" }),
        next: () => choose(1),
        previous: () => choose(-1),
        open: () => {
          const chosen = openAsks.value.find(({ ask }) => ask.id === chosenAsk.value);
          if (chosen) go({ page: "session", session: chosen.root, tab: "transcript" });
        },
        allow: () => press("once"),
        reject: () => press("reject"),
        help: showKeys,
      }),
    [],
  );
}

/** The frame of every page: places, sessions at the side where there is room, and the state of the connection. */
export function Shell({ children }: { children: ComponentChildren }) {
  useKeys();
  return (
    <div class="shell">
      <a class="unseen" href="#main">
        Skip to the page
      </a>
      <header class="bar">
        <a class="brand" href={hrefOf({ page: "home" })}>
          Parley
        </a>
        <span class="row grow" />
        <LinkState />
        <a class="button compact" href={hrefOf({ page: "new" })}>
          New
        </a>
      </header>
      <aside class="side" aria-label="Sessions">
        <div class="side-head">
          <a class="brand" href={hrefOf({ page: "home" })}>
            Parley
          </a>
          <LinkState />
        </div>
        <nav class="side-nav" aria-label="Places">
          <Places />
        </nav>
        <div class="side-nav">
          <a class="button" href={hrefOf({ page: "new" })}>
            New session
          </a>
        </div>
        <nav class="side-list" aria-label="Sessions by need">
          <SideList now={route.value} />
        </nav>
        <Foot />
      </aside>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <nav class="tabs" aria-label="Places">
        <Places style="tab" />
      </nav>
      <Toasts />
      <OpenDialog />
    </div>
  );
}
