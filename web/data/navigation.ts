import { type ReadonlySignal, signal } from "@preact/signals";
import { BASE, hrefOf, parseRoute, type Route } from "../model/route.ts";

const current = signal<Route>(parseRoute(location));

/** The page that the address names. */
export const route: ReadonlySignal<Route> = current;

function follow(): void {
  current.value = parseRoute(location);
}

addEventListener("popstate", follow);
addEventListener("hashchange", follow);

/** Goes to a page; `replace` leaves no entry in the history. */
export function go(to: Exclude<Route, { page: "missing" }>, { replace = false } = {}): void {
  const href = hrefOf(to);
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  follow();
}

/** Links to pages of the console change the page without a load. */
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(BASE)) return;
  event.preventDefault();
  history.pushState(null, "", url);
  follow();
});
