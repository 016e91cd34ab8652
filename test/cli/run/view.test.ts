import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { exitCodeOf } from "../../../src/cli/run/exit-code.ts";
import { type Input, promptText } from "../../../src/cli/run/prompt-text.ts";
import { View } from "../../../src/cli/run/view.ts";
import type { Outcome } from "../../../src/client/index.ts";

/** Both streams of one terminal, or of two pipes. */
function screen(isTTY: boolean) {
  let shown = "";
  const write = (text: string): void => {
    shown += text;
  };
  const stream = { isTTY, write };
  return { view: new View(stream, stream, { TERM: "dumb" }), shown: () => shown };
}

test("in one terminal, progress does not go on in the middle of the answer's line", () => {
  const { view, shown } = screen(true);
  view.reply("Half a li");
  view.progress("→ tool");
  view.reply("ne.");
  view.rest();
  view.rest();
  assert.equal(shown(), "Half a li\n→ tool\nne.\n");
});

test("while a question stands in the last line, other lines begin below it", () => {
  const { view, shown } = screen(true);
  view.asking();
  view.progress("→ tool");
  view.answered();
  view.progress("✓ tool");
  assert.equal(shown(), "\n→ tool\n✓ tool\n");
});

test("a pipe gets the answer as it is, a terminal without what could harm it", () => {
  const pipe = screen(false);
  pipe.view.reply("a\u001b[2J\n");
  assert.equal(pipe.shown(), "a\u001b[2J\n");
  const terminal = screen(true);
  terminal.view.reply("a\u001b[2J\n");
  assert.equal(terminal.shown(), "a\\u001b[2J\n");
});

test("once its reader has gone, nothing is said", () => {
  const { view, shown } = screen(false);
  view.mute();
  view.reply("x");
  view.progress("y");
  view.line("z");
  view.rest();
  assert.equal(shown(), "");
});

const TERMINAL = { isTTY: true, write: () => {} };

test("the ^C of a terminal is taken off the screen, but not out of the middle of a reply", () => {
  const cleared: boolean[] = [];
  const view = new View(TERMINAL, TERMINAL, {}, (_, inLine) => void cleared.push(inLine === true));
  view.interrupted();
  view.asking();
  view.interrupted();
  view.answered();
  view.reply("half a li");
  view.interrupted();
  assert.deepEqual(cleared, [false, true]);
  const piped = new View({ write: () => {} }, TERMINAL, {}, (_, inLine) => void cleared.push(inLine === true));
  piped.reply("half a li");
  piped.interrupted();
  assert.deepEqual(cleared, [false, true, false]);
});

const codes: [reason: Outcome["reason"], code: number][] = [
  ["end_turn", 0],
  ["error", 1],
  ["refusal", 3],
  ["max_tokens", 4],
  ["max_turns", 4],
  ["interrupted", 5],
  ["cancelled", 130],
  ["withdrawn", 130],
  ["of a newer server" as "error", 1],
];

for (const [reason, code] of codes) test(`${reason} exits with ${code}`, () => assert.equal(exitCodeOf(reason), code));

function input(text: string, isTTY = false): Input {
  const stream: Input = new PassThrough().end(text);
  stream.isTTY = isTTY;
  return stream;
}

function pieces(bytes: Buffer, size = bytes.length, error?: Error): Input {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      if (error) throw error;
    })(),
  );
}

const prompts: [what: string, words: string[], stdin: Input, prompt: string | RegExp][] = [
  ["words at a terminal", ["fix", "it"], input("typed ahead", true), "fix it"],
  ["words beside a pipe", ["fix", "it"], input("this\n"), "fix it\nthis\n"],
  ["words beside an empty pipe", ["fix", "it"], input(" \n"), "fix it"],
  ["words and a dash", ["fix", "it", "-"], input("this"), "fix it\nthis"],
  ["letters that are cut in the middle", ["fix"], pieces(Buffer.from("ä€😀"), 1), "fix\nä€😀"],
  ["a byte order mark", ["fix"], input("\ufeffthis"), "fix\nthis"],
  [
    "binary data",
    ["fix"],
    pieces(Buffer.from([0x50, 0x4b, 0, 3])),
    /got binary data \(a zero at byte 3\): save it as a file/,
  ],
  ["another encoding", ["fix"], pieces(Buffer.from([0xe4, 0x20])), /expected text in UTF-8 on stdin/],
  ["too much", ["fix"], pieces(Buffer.alloc(4_000_001, "x"), 65_536), /expected at most 4 MB on stdin, got more/],
  ["a pipe that fails", ["fix"], pieces(Buffer.from("x"), 1, new Error("EIO")), /stdin cannot be read: EIO/],
  ["a dash", ["-"], input("from stdin\n"), "from stdin\n"],
  ["nothing but a pipe", [], input("piped"), "piped"],
  ["nothing at a terminal", [], input("", true), /expected a prompt/],
  ["an empty pipe", [], input(" \n"), /nothing but white space/],
  ["an empty word", [""], input("", true), /expected a prompt/],
];

for (const [what, words, stdin, prompt] of prompts) {
  test(`the prompt of ${what}`, async () => {
    if (typeof prompt === "string") assert.equal(await promptText(words, stdin), prompt);
    else await assert.rejects(promptText(words, stdin), prompt);
  });
}
