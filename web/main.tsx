import { render } from "preact";
import "./styles/base.css";
import { Entrance } from "./pages/entrance/entrance.tsx";

const place = document.getElementById("app");
if (place) render(<Entrance />, place);
