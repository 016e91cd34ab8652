import assert from "node:assert/strict";
import { test } from "node:test";
import { commandName, isCommandName, readCommandName } from "../../src/core/command-name.ts";

const WORDS: [text: string, words: string[]][] = [
  ["gemini --acp", ["gemini", "--acp"]],
  ["  gemini   --acp  ", ["gemini", "--acp"]],
  ["'my agent' x", ["my agent", "x"]],
  [`node -e "say('hi')"`, ["node", "-e", "say('hi')"]],
  [`a "b \\" \\\\ \\$HOME \\n"`, ["a", 'b " \\ $HOME \\n']],
  ["a 'b \\ c'", ["a", "b \\ c"]],
  ["a b\\ c \\'d", ["a", "b c", "'d"]],
  ["a '' \"\"", ["a", "", ""]],
  ["a'b'\"c\"d", ["abcd"]],
  ["a $HOME ~ * ? {x,y} #z", ["a", "$HOME", "~", "*", "?", "{x,y}", "#z"]],
  ["a '|' \"&&\" \\;", ["a", "|", "&&", ";"]],
  ["/opt/agent --model=a/b", ["/opt/agent", "--model=a/b"]],
  ["agent --title=Größe→", ["agent", "--title=Größe→"]],
];

test("a command line is split as a shell does it, and nothing is expanded", () => {
  for (const [text, words] of WORDS) assert.deepEqual(readCommandName(`acp:${text}`), { argv: words }, text);
});

const REFUSED: [text: string, says: RegExp][] = [
  ["", /got no program$/],
  ["   ", /got no program$/],
  ["''", /got no program$/],
  ["'' x", /got no program$/],
  ["a 'b", /the quote ' is not closed/],
  ['a "b', /the quote " is not closed/],
  ['a "b\\"', /the quote " is not closed/],
  ["a \\", /a backslash at its end/],
  ["./agent", /\.\/agent, which would be another program in each directory/],
  ["bin/agent", /bin\/agent, which would be another/],
  ["../agent", /another program/],
  ["~/agent", /~ is no directory/],
  ["a | b", /\| means something to a shell/],
  ["a & b", /& means/],
  ["a; b", /; means/],
  ["a > b", /> means/],
  ["a `b`", /` means/],
  ["a $(b)", /\( means/],
  ["a\nb", /control character/],
  ["a\tb", /control character/],
  ["a\0b", /control character/],
  ["a\u2028b", /control character/],
  ["a\ud800", /control character/],
  ["x".repeat(1_001), /at most 1000 characters, got 1005/],
];

test("what is no command line is refused with what was expected and what came", () => {
  for (const [text, says] of REFUSED) {
    const read = readCommandName(`acp:${text}`);
    assert.ok("problem" in read, JSON.stringify(text));
    assert.match(read.problem, /^expected "acp:"/);
    assert.match(read.problem, says, JSON.stringify(text));
  }
});

test("a command line has one name, however it was quoted, and the name reads as the same words", () => {
  assert.equal(commandName(["gemini", "--acp"]), "acp:gemini --acp");
  for (const [, words] of WORDS) {
    const name = commandName(words);
    assert.deepEqual(readCommandName(name), { argv: words }, name);
    assert.ok(isCommandName(name));
  }
  assert.ok(!isCommandName("acpx") && !isCommandName("claude-acp"));
});
