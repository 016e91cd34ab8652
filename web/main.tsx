import { render } from "preact";
import { App } from "./app.tsx";
import { standForLead } from "./data/leader.ts";
import { enter } from "./data/login.ts";
import { keepTitle } from "./data/notify.ts";
import { keepPresence } from "./data/presence.ts";
import "./styles/index.css";

const place = document.getElementById("app");
if (place) {
  await enter();
  standForLead();
  keepPresence();
  keepTitle();
  render(<App />, place);
}
