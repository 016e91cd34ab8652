/** The pages of the console, and the address of each below its base. */
export type Route =
  | { page: "home" }
  | { page: "inbox" }
  | { page: "new"; directory?: string }
  | { page: "session"; session: string; tab: SessionTab; turn?: string; seq?: number }
  | { page: "search"; query: string }
  | { page: "usage" }
  | { page: "agents" }
  | { page: "missing" };

export const SESSION_TABS = ["transcript", "changes", "events", "terminal"] as const;
export type SessionTab = (typeof SESSION_TABS)[number];

export const BASE = "/console/";

function isTab(text: string): text is SessionTab {
  return SESSION_TABS.some((tab) => tab === text);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function numberOf(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** The page that an address names. Anything that is none is `missing`, never an error. */
export function parseRoute({ pathname, search, hash }: Pick<URL, "pathname" | "search" | "hash">): Route {
  if (pathname === BASE.slice(0, -1)) return { page: "home" };
  if (!pathname.startsWith(BASE)) return { page: "missing" };
  const [first = "", ...rest] = pathname.slice(BASE.length).replace(/\/$/, "").split("/");
  const query = new URLSearchParams(search);
  if (first === "s") return sessionRoute(rest, query, hash);
  if (rest.length > 0) return { page: "missing" };
  switch (first) {
    case "":
      return { page: "home" };
    case "inbox":
    case "usage":
    case "agents":
      return { page: first };
    case "new": {
      const directory = query.get("directory");
      return directory ? { page: "new", directory } : { page: "new" };
    }
    case "search":
      return { page: "search", query: query.get("q") ?? "" };
    default:
      return { page: "missing" };
  }
}

function sessionRoute([id = "", tab = "transcript", ...more]: string[], query: URLSearchParams, hash: string): Route {
  const session = decoded(id);
  if (!session || more.length > 0 || !isTab(tab)) return { page: "missing" };
  const turn = query.get("turn");
  const seq = numberOf(hash.replace(/^#/, ""));
  return { page: "session", session, tab, ...(turn ? { turn } : {}), ...(seq === undefined ? {} : { seq }) };
}

/** The address of a page. */
export function hrefOf(route: Exclude<Route, { page: "missing" }>): string {
  switch (route.page) {
    case "home":
      return BASE;
    case "inbox":
    case "usage":
    case "agents":
      return `${BASE}${route.page}`;
    case "new":
      return `${BASE}new${route.directory ? `?${new URLSearchParams({ directory: route.directory })}` : ""}`;
    case "search":
      return `${BASE}search${route.query ? `?${new URLSearchParams({ q: route.query })}` : ""}`;
    case "session": {
      const tab = route.tab === "transcript" ? "" : `/${route.tab}`;
      const turn = route.turn ? `?${new URLSearchParams({ turn: route.turn })}` : "";
      const seq = route.seq === undefined ? "" : `#${route.seq}`;
      return `${BASE}s/${encodeURIComponent(route.session)}${tab}${turn}${seq}`;
    }
  }
}
