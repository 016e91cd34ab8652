import { connection } from "./data/connection.ts";
import { route } from "./data/navigation.ts";
import { BASE, type Route } from "./model/route.ts";
import { Agents } from "./pages/agents/agents.tsx";
import { Home } from "./pages/home/home.tsx";
import { Inbox } from "./pages/inbox/inbox.tsx";
import { Login } from "./pages/login/login.tsx";
import { NewSession } from "./pages/new/new-session.tsx";
import { Shell } from "./shell.tsx";
import { later } from "./ui/later.tsx";

const SessionPage = later(async () => (await import("./pages/session/session-page.tsx")).SessionPage);
const Search = later(async () => (await import("./pages/search/search.tsx")).Search);
const Usage = later(async () => (await import("./pages/usage/usage.tsx")).Usage);

/** Loads what the page that the address names needs, before it is first drawn. */
export async function loadFirst(): Promise<void> {
  if (route.value.page === "session") await SessionPage.load();
}

/** Whoever points at a session will open it: its page is there before the click. */
function onPoint({ target }: Event): void {
  if (target instanceof Element && target.closest(`a[href^="${BASE}s/"]`)) void SessionPage.load();
}
addEventListener("pointerover", onPoint, { passive: true });
addEventListener("focusin", onPoint);

function Missing() {
  return (
    <div class="empty">
      <h1>There is nothing here</h1>
      <p>The address names no page of this console.</p>
    </div>
  );
}

function pageOf(now: Route) {
  switch (now.page) {
    case "home":
      return <Home />;
    case "inbox":
      return <Inbox />;
    case "new":
      return <NewSession directory={now.directory} />;
    case "session":
      return <SessionPage key={now.session} route={now} />;
    case "search":
      return <Search query={now.query} />;
    case "usage":
      return <Usage />;
    case "agents":
      return <Agents />;
    case "missing":
      return <Missing />;
  }
}

export function App() {
  if (connection.value.kind === "signed-out") return <Login />;
  return <Shell>{pageOf(route.value)}</Shell>;
}
