import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));
/** The log itself, and rooms that cannot import it. */
const WITHOUT = /^(log|host|core|agents|client|install|testing)\//;
/** A call of one of the log's writing methods, or one that was taken out of it first. */
const WRITES = /(?:\.(?:append|fold|prune)\b(?!")|\{[^{}]*\b(?:append|fold|prune)\b[^{}]*\}\s*=)/g;

function writesIn(text: string): number {
  return text.match(WRITES)?.length ?? 0;
}

test("one place in the source appends to the log, and it is the session's store", () => {
  const files = globSync("**/*.ts", { cwd: SRC }).filter((file) => !WITHOUT.test(file));
  const writers = files.filter((file) => writesIn(readFileSync(`${SRC}/${file}`, "utf8")) > 0);
  assert.deepEqual(writers, ["gateway/session/session-store.ts"]);
  const store = readFileSync(`${SRC}/gateway/session/session-store.ts`, "utf8");
  assert.equal(store.match(/\.append\(/g)?.length, 1, "the store appends in one place");
});

test("the search for writers finds each way to write", () => {
  for (const line of [
    "await this.log.append(id, entries, { id });",
    "const { append } = options.log;",
    "const write = log.append;",
    "void log?.fold(id, 3);",
    "await hold.prune(7);",
  ])
    assert.equal(writesIn(line), 1, line);
  for (const line of ['type: "tui.prompt.append"', "this.appendAll()", "const text = unfold(x);"])
    assert.equal(writesIn(line), 0, line);
});
