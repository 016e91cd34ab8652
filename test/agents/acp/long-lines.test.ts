import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { played, said, setStage } from "./stage.ts";

const ask = (method: string, params: object) => ({ request: { method, params }, tellAnswer: true });

test("a file is written whole, or not at all where its line was shortened", async (t) => {
  const { open, directory } = await setStage(t);
  const file = join(directory, "a.txt");
  writeFileSync(file, "kept");
  const watched = await open();
  const write = (content: string) => ask("fs/write_text_file", { path: file, content });
  await watched.turn(played([write("x".repeat(1_500_000))]));
  assert.equal(readFileSync(file, "utf8"), "kept");
  assert.match(said(watched), /-32602.*too long/);
  await watched.turn(played([write("y".repeat(900_000))]));
  assert.equal(readFileSync(file, "utf8"), "y".repeat(900_000));
  await watched.session.close();
});

test("a command whose line was shortened is not run", async (t) => {
  const { open, directory } = await setStage(t);
  const watched = await open();
  const args = ["-c", "touch made", "x".repeat(1_500_000)];
  await watched.turn(played([ask("terminal/create", { command: "sh", args })]));
  assert.match(said(watched), /too long/);
  assert.equal(existsSync(join(directory, "made")), false);
  await watched.session.close();
});
