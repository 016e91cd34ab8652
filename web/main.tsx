import { render } from "preact";
import { App } from "./app.tsx";
import { enter } from "./data/login.ts";
import { stream } from "./data/start.ts";
import "./styles/index.css";

const place = document.getElementById("app");
if (place) {
  await enter();
  stream.start();
  render(<App />, place);
}
