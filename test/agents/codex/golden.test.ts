import { jsonIn } from "../../../src/core/json/fields.ts";
import { goldenSuite } from "../replay/golden-suite.ts";
import { textOf } from "../replay/recording.ts";
import { CodexReplay } from "./replay.ts";

/** Lines that nothing tells from others of the same words: pieces of a text, warnings and plans. */
const UNNUMBERED = /delta$|^(?:config)?warning$|^turn\/plan\/updated$/i;

goldenSuite({
  agent: "codex",
  title: "Codex",
  count: 101,
  open: () => new CodexReplay(),
  mayRepeat: (line) => !UNNUMBERED.test((jsonIn(textOf(line)) as { method?: string }).method ?? ""),
});
