import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { type Fields, fieldsIn, isFields, textIn } from "../../../src/core/json/fields.ts";
import { stopReason } from "../../../src/surfaces/acp/translate/outcome.ts";
import { Translator } from "../../../src/surfaces/acp/translate/translator.ts";
import type { Update } from "../../../src/surfaces/acp/translate/updates.ts";
import { v1Updates } from "../../../src/surfaces/acp/v1/updates.ts";
import { type Case, CaseReplay } from "../../agents/opencode/replay/case-replay.ts";
import type { World } from "../../core/ledger/world.ts";

const file = new URL("../../golden/opencode-agent/translator-cases.json", import.meta.url);
const CASES = JSON.parse(readFileSync(file, "utf8")) as Case[];
const DIRECTORY = "/lab/work";
const SHOWS = { notices: false, compaction: false };

/** What a client is told, or what a case wants. */
interface Told {
  text: string;
  thought: string;
  /** The fields of each call, the newest ones. */
  calls: Record<string, Fields>;
  ends: string[];
  /** What was counted, each time. */
  usage: Fields[];
  /** The words of compactions. */
  summary: string;
  /** The sub-agents whose calls are told. */
  children: Record<string, unknown>;
}

const nothing = (): Told => ({ text: "", thought: "", calls: {}, ends: [], usage: [], summary: "", children: {} });

/** A call is begun once, before anything else is told of it, and over once. */
function assertInOrder(shown: readonly Fields[]): void {
  const isOver = new Map<string, boolean>();
  for (const { sessionUpdate, toolCallId, status } of shown) {
    if (typeof toolCallId !== "string") continue;
    const begins = sessionUpdate === "tool_call";
    assert.equal(isOver.has(toolCallId), !begins, `${sessionUpdate} of ${toolCallId}`);
    assert.ok(!isOver.get(toolCallId), `${toolCallId} is told of after it was over`);
    isOver.set(toolCallId, status === "completed" || status === "failed");
  }
}

function take(told: Told, update: Fields, name: (id: string) => string): void {
  const text = textIn(fieldsIn(update, "content"), "text") ?? "";
  if (update.sessionUpdate === "agent_message_chunk") told.text += text;
  if (update.sessionUpdate === "agent_thought_chunk") told.thought += text;
  const id = textIn(update, "toolCallId");
  if (id === undefined) return;
  const { sessionUpdate: _, toolCallId: __, _meta: ___, ...fields } = update;
  told.calls[name(id)] = { ...told.calls[name(id)], ...fields };
}

/**
 * The updates that a case wants, without those of sub-agents' words: these belong to the call that started them. That a sub-agent
 * has begun is told by its first call, whatever the case says.
 */
function wanted(one: Case): Told {
  const told = nothing();
  for (const out of one.steps.flatMap((step) => step.out)) {
    const update = fieldsIn(out, "update");
    const isChild = fieldsIn(update, "_meta").sessionId !== undefined;
    if (out.kind === "update" && (!isChild || update.toolCallId !== undefined)) take(told, update, (id) => id);
    if (out.kind === "prompt_response") told.ends.push(String(out.stopReason));
    if (out.kind === "prompt_error") told.ends.push("error");
    if (out.kind === "usage") told.usage.push({ used: out.used, cost: out.cost });
    if (isChild && update.toolCallId !== undefined)
      told.children[String(update.toolCallId)] = fieldsIn(update, "_meta").sessionId;
    if (out.kind !== "compaction") continue;
    told.ends.push("end_turn");
    told.summary += textIn(out, "summary") ?? "";
  }
  return told;
}

/** The agent's own ids of calls by the ids of their items. */
function calls(world: World): Map<string, string> {
  return new Map(
    world
      .of("item.started")
      .flatMap(({ data: { item } }) => (item.kind === "tool_call" ? [[item.id, item.call] as const] : [])),
  );
}

/** What a client is told of the events of a session. */
function played(told: Told, world: World, name: (key: string) => string, child?: string): void {
  const items = calls(world);
  const translator = new Translator({
    directory: DIRECTORY,
    ...(child === undefined ? {} : { meta: { session: child } }),
  });
  const all: Fields[] = [];
  for (const event of world.events as ParleyEvent[]) {
    for (const update of translator.take(event).filter((one) => isShown(one, child !== undefined))) {
      if (update.type === "end") told.ends.push(stopReason(update.end) ?? "error");
      if (update.type === "usage") told.usage.push({ used: update.used, cost: update.cost });
      if (update.type === "text" && update.summary) told.summary += textOf(update.content);
      for (const one of v1Updates(update, SHOWS, 0)) {
        const shown = JSON.parse(JSON.stringify(one)) as Fields;
        all.push(shown);
        take(told, shown, (id) => name(items.get(id) ?? id));
        const { session } = fieldsIn(fieldsIn(shown, "_meta"), "parley");
        if (session !== undefined) told.children[name(items.get(String(shown.toolCallId)) ?? "")] = session;
      }
    }
  }
  assertInOrder(all);
}

const textOf = (content: readonly object[]): string =>
  content.map((block) => textIn(block as Fields, "text") ?? "").join("");

const isShown = (update: Update, isChild: boolean): boolean => !isChild || update.type === "call";

/** Whether a value has all that is wanted of it. */
function has(value: unknown, want: unknown): boolean {
  if (Array.isArray(want)) return Array.isArray(value) && want.every((one, at) => has(value[at], one));
  if (isFields(want)) return isFields(value) && Object.entries(want).every(([key, one]) => has(value[key], one));
  return value === want;
}

/** Fields of calls that Parley tells otherwise, by case. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // A sub-agent thinks for its caller: OpenCode's own bridge says so, too.
  "kind-task": ["kind"],
  // An output that is no text is told as JSON, in the place of every other output.
  "raw-output-object": ["rawOutput"],
  // A command that ran is a completed call, whatever its exit: the exit is in its metadata.
  "bash-nonzero-first-sight": ["status"],
  // Counts are told with the end of the turn.
  usage: ["ends"],
};

/** The events that end the message of a case: its counts are taken then. */
function ending({ session, steps }: Case): Fields[] {
  const info = fieldsIn(fieldsIn(steps.at(-1)?.in ?? {}, "properties"), "info");
  const part = { id: "prt_end", messageID: info.id, sessionID: session, type: "step-finish" };
  return [
    { type: "message.part.updated", properties: { part } },
    { type: "message.updated", properties: { info: { ...info, time: { created: 1, completed: 2 } } } },
  ];
}

describe("cases of OpenCode's event stream, as clients of the protocol are told them", () => {
  for (const one of CASES)
    test(`${one.id}: ${one.title}`, () => {
      const play = new CaseReplay(one);
      if (/^child-(?:tool|text-delta|reasoning-delta|part-id-collision)$/.test(one.id))
        play.read(JSON.stringify(one.steps[0]?.in));
      for (const step of one.steps) play.read(JSON.stringify(step.in));
      const want = wanted(one);
      if (want.usage.length > 0) for (const event of ending(one)) play.read(JSON.stringify(event));
      if (want.ends.length > 0 || want.usage.length > 0) play.finish();
      const got = nothing();
      const name = (key: string): string => play.callId(key);
      played(got, play.root, name);
      for (const [id, { world }] of play.children) played(got, world, name, id);
      const other = OTHERWISE[one.id] ?? [];
      if (!other.includes("text")) assert.equal(got.text, want.text);
      if (!other.includes("thought")) assert.equal(got.thought, want.thought);
      if (!other.includes("ends")) assert.deepEqual(got.ends, want.ends);
      assert.equal(got.summary, want.summary);
      if (want.usage.length > 0) assert.deepEqual(got.usage, want.usage);
      for (const [id, child] of Object.entries(want.children)) assert.equal(got.children[id], child, id);
      for (const [id, fields] of Object.entries(want.calls))
        for (const [field, value] of Object.entries(fields)) {
          if (other.includes(field)) continue;
          const shown = got.calls[id]?.[field];
          assert.ok(has(shown, value), `${id}.${field}: wanted ${JSON.stringify(value)}, got ${JSON.stringify(shown)}`);
        }
      play.end();
    });
});
