import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BLANKS } from "../../../src/testing/model/fill.ts";
import { parseScript } from "../../../src/testing/model/parse-script.ts";
import { PLACES, STOPS, USAGE } from "../../../src/testing/model/script.ts";

const page = readFileSync(new URL("../../../docs/scripted-model.md", import.meta.url), "utf8");

test("the scripts in the documentation are scripts", () => {
  const scripts = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => parseScript(match[1] ?? ""));
  assert.equal(scripts.length, 2);
  assert.equal(scripts[0]?.prompts["read-it"]?.[0]?.tools?.length, 2);
});

test("the documentation names every stop, place, count and blank", () => {
  for (const word of [...STOPS, ...PLACES, ...USAGE]) assert.ok(page.includes(`\`${word}\``), word);
  for (const word of BLANKS) assert.ok(page.includes(`{{${word}}}`), word);
});
