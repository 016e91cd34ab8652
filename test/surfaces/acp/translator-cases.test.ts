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

/** The words, calls and end that a client is told, or that a case wants. */
interface Told {
  text: string;
  thought: string;
  /** The fields of each call, the newest ones. */
  calls: Record<string, Fields>;
  ends: string[];
}

const nothing = (): Told => ({ text: "", thought: "", calls: {}, ends: [] });

function take(told: Told, update: Fields, name: (id: string) => string): void {
  const text = textIn(fieldsIn(update, "content"), "text") ?? "";
  if (update.sessionUpdate === "agent_message_chunk") told.text += text;
  if (update.sessionUpdate === "agent_thought_chunk") told.thought += text;
  const id = textIn(update, "toolCallId");
  if (id === undefined) return;
  const { sessionUpdate: _, toolCallId: __, _meta: ___, ...fields } = update;
  told.calls[name(id)] = { ...told.calls[name(id)], ...fields };
}

/** The updates that a case wants, without those of sub-agents' words: these belong to the call that started them. */
function wanted(one: Case): Told {
  const told = nothing();
  for (const out of one.steps.flatMap((step) => step.out)) {
    const update = fieldsIn(out, "update");
    const isChild = fieldsIn(update, "_meta").sessionId !== undefined;
    if (out.kind === "update" && (!isChild || update.toolCallId !== undefined)) take(told, update, (id) => id);
    if (out.kind === "prompt_response") told.ends.push(String(out.stopReason));
    if (out.kind === "prompt_error") told.ends.push("error");
    if (out.kind === "compaction") told.ends.push("end_turn");
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
  for (const event of world.events as ParleyEvent[]) {
    for (const update of translator.take(event).filter((one) => isShown(one, child !== undefined))) {
      if (update.type === "end") told.ends.push(stopReason(update.end) ?? "error");
      for (const shown of v1Updates(update, SHOWS, 0))
        take(told, JSON.parse(JSON.stringify(shown)) as Fields, (id) => name(items.get(id) ?? id));
    }
  }
}

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
};

describe("cases of OpenCode's event stream, as clients of the protocol are told them", () => {
  for (const one of CASES)
    test(`${one.id}: ${one.title}`, () => {
      const play = new CaseReplay(one);
      if (/^child-(?:tool|text-delta|reasoning-delta|part-id-collision)$/.test(one.id))
        play.read(JSON.stringify(one.steps[0]?.in));
      for (const step of one.steps) play.read(JSON.stringify(step.in));
      const want = wanted(one);
      if (want.ends.length > 0) play.finish();
      const got = nothing();
      const name = (key: string): string => play.callId(key);
      played(got, play.root, name);
      for (const [id, { world }] of play.children) played(got, world, name, id);
      const other = OTHERWISE[one.id] ?? [];
      if (!other.includes("text")) assert.equal(got.text, want.text);
      if (!other.includes("thought")) assert.equal(got.thought, want.thought);
      if (!other.includes("ends")) assert.deepEqual(got.ends, want.ends);
      for (const [id, fields] of Object.entries(want.calls))
        for (const [field, value] of Object.entries(fields)) {
          if (other.includes(field)) continue;
          const shown = got.calls[id]?.[field];
          assert.ok(has(shown, value), `${id}.${field}: wanted ${JSON.stringify(value)}, got ${JSON.stringify(shown)}`);
        }
      play.end();
    });
});
