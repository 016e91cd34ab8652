import "./data/early.ts";
import { render } from "preact";
import { App, loadFirst } from "./app.tsx";
import { standForLead } from "./data/leader.ts";
import { enter } from "./data/login.ts";
import { keepCalling, keepTitle } from "./data/notify.ts";
import { keepPresence } from "./data/presence.ts";
import "./styles/index.css";

/** Modules that come later import this one, so that it may not wait for them while it is evaluated. */
async function begin(place: HTMLElement): Promise<void> {
  await Promise.all([enter(), loadFirst()]);
  standForLead();
  keepPresence();
  keepCalling();
  keepTitle();
  render(<App />, place);
}

const place = document.getElementById("app");
if (place) void begin(place);
