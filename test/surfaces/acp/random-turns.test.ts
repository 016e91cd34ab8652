import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "../../../src/core/events/items.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { collapse } from "../../../src/surfaces/acp/translate/collapse.ts";
import { Translator } from "../../../src/surfaces/acp/translate/translator.ts";
import type { Update } from "../../../src/surfaces/acp/translate/updates.ts";
import { v1Updates } from "../../../src/surfaces/acp/v1/updates.ts";
import { v2Updates } from "../../../src/surfaces/acp/v2/updates.ts";
import { anyAction } from "../../core/ledger/arbitraries.ts";
import { type AnyAction, perform } from "../../core/ledger/suite.ts";
import { World } from "../../core/ledger/world.ts";

const DIRECTORY = "/project";
const SHOWS = { notices: true, compaction: false };

/** Anything in any order. */
const scenarios = fc.array(anyAction, { minLength: 5, maxLength: 80 });

function lived(actions: readonly AnyAction[]): World {
  const world = new World({ step, newLedger, restore }).prompt("p");
  actions.forEach((action, index) => {
    perform(world, action, index);
  });
  return world.settle();
}

function told(world: World): Update[] {
  const translator = new Translator({ directory: DIRECTORY });
  return world.events.flatMap((event) => translator.take(event));
}

interface Shown {
  sessionUpdate: string;
  messageId?: string;
  content?: unknown;
}

const textIn = (content: unknown): string => (content as { text?: string }).text ?? "";

/** The texts of messages, as a client of version 1 puts them together: the newest version of each counts. */
function textsOf(updates: readonly Update[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const one of updates.flatMap((update) => v1Updates(update, SHOWS, 0) as Shown[])) {
    if (!one.sessionUpdate.endsWith("message_chunk") && one.sessionUpdate !== "agent_thought_chunk") continue;
    const id = one.messageId ?? "";
    texts.set(id, (texts.get(id) ?? "") + textIn(one.content));
  }
  const newest = new Map<string, string>();
  for (const [id, text] of texts) newest.set(id.replace(/\+\d+$/, ""), text);
  return newest;
}

/** The same for version 2, where a whole message replaces what was told of it. */
function textsOfDraft(updates: readonly Update[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const one of updates.flatMap((update) => v2Updates(update) as Shown[])) {
    const id = one.messageId ?? "";
    if (/^agent_(?:message|thought)_chunk$/.test(one.sessionUpdate))
      texts.set(id, (texts.get(id) ?? "") + textIn(one.content));
    if (/^(?:user_message|agent_message|agent_thought)$/.test(one.sessionUpdate))
      texts.set(id, (one.content as unknown[]).map(textIn).join(""));
  }
  return texts;
}

/** The words of an item, without those that Parley added to the user's. */
function saidIn(item: Item): string {
  if (item.kind !== "message") return item.kind === "reasoning" ? (item.text ?? "") : "";
  const parts = item.content;
  if (!parts?.length) return item.text ?? "";
  return parts.map((part) => (part.type === "text" && !part.synthetic ? part.text : "")).join("");
}

/** The texts that the log holds in the end. */
function wanted(world: World): Map<string, string> {
  const summaries = new Set<string>();
  for (const { turn, data } of world.of("step.started")) if (data.summary) summaries.add(`${turn} ${data.step}`);
  const items = world.of("item.completed").flatMap(({ turn, data: { item } }) => {
    const isText = (item.kind === "message" && item.role !== "system") || item.kind === "reasoning";
    const isGone = item.status === "retracted" || summaries.has(`${turn} ${item.step}`);
    return isText && !isGone ? [[item.id, saidIn(item)] as const] : [];
  });
  return new Map(items);
}

function assertTexts(got: ReadonlyMap<string, string>, want: ReadonlyMap<string, string>): void {
  for (const [id, text] of want) assert.equal(got.get(id) ?? "", text, `the text of ${id}`);
}

test("the texts that a client puts together are those of the log, live and as history", () => {
  fc.assert(
    fc.property(scenarios, (actions) => {
      const world = lived(actions);
      const updates = told(world);
      const want = wanted(world);
      // Version 1 cannot take back what was said.
      assertTexts(textsOf(updates), new Map([...want].filter(([, text]) => text !== "")));
      assertTexts(textsOf(collapse(updates)), want);
      assertTexts(textsOfDraft(updates), want);
    }),
    { numRuns: 300 },
  );
});

test("a turn begins once and ends once, and what belongs to it is between", () => {
  fc.assert(
    fc.property(scenarios, (actions) => {
      const world = lived(actions);
      let open: string | undefined;
      const ended: string[] = [];
      for (const update of told(world)) {
        if (update.type === "turn") {
          assert.equal(open, undefined);
          open = update.turn;
        } else if (update.type === "end" && update.end.turn !== undefined) {
          assert.equal(update.end.turn, open);
          ended.push(update.end.turn);
          open = undefined;
        } else if (update.type === "text" || update.type === "call") assert.notEqual(open, undefined, update.type);
      }
      assert.equal(open, undefined);
      assert.deepEqual(
        ended,
        world.of("turn.ended").map(({ turn }) => turn),
      );
    }),
    { numRuns: 300 },
  );
});

test("every prompt gets one end, and every call is told once and settled before its turn's end", () => {
  fc.assert(
    fc.property(scenarios, (actions) => {
      const world = lived(actions);
      const ends = new Map<string, number>();
      const open = new Set<string>();
      const seen = new Set<string>();
      for (const update of told(world)) {
        if (update.type === "call") {
          assert.equal(update.created, !seen.has(update.id));
          seen.add(update.id);
          if (["completed", "failed"].includes(update.call.status)) open.delete(update.id);
          else open.add(update.id);
        }
        if (update.type !== "end") continue;
        if (update.end.turn !== undefined) assert.deepEqual([...open], []);
        if (update.end.prompt !== undefined) ends.set(update.end.prompt, (ends.get(update.end.prompt) ?? 0) + 1);
      }
      const begun = world.of("turn.started").flatMap(({ data }) => data.prompt?.id ?? []);
      const withdrawn = world.of("prompt.withdrawn").map(({ data }) => data.prompt);
      for (const prompt of [...begun, ...withdrawn]) assert.equal(ends.get(prompt), 1, prompt);
    }),
    { numRuns: 300 },
  );
});
