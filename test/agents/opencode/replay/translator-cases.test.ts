import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type Fields, fieldsIn, textIn } from "../../../../src/core/json/fields.ts";
import type { World } from "../../../core/ledger/world.ts";
import { type Case, CaseReplay } from "./case-replay.ts";

const file = new URL("../../../golden/opencode-agent/translator-cases.json", import.meta.url);
const CASES = JSON.parse(readFileSync(file, "utf8")) as Case[];

/** Cases that Parley tells otherwise, with its own words for them. */
const OTHERWISE: Readonly<Record<string, string[]>> = {
  // A command that ran is a completed call, whatever its exit: the exit is in its metadata.
  "bash-nonzero-first-sight": ["call c1", "completed c1"],
  // An output that is no text is told as JSON.
  "raw-output-object": ["call c1", "completed c1", 'output c1 {"files":["a","b"]}'],
  // The end of a turn is the program's idle, after which the REST API is asked: an aborted message alone is none.
  aborted: [],
  // The usage of a message counts when it is completed.
  usage: [],
};

/** The first words of a sub-agent that nobody knew of only have it looked for, and the REST API has them: here they are said once more. */
const LOOKED_FOR = /^child-(?:tool|text-delta|reasoning-delta|part-id-collision)$/;

const ASIDE = /^(?:child )?(in_progress|output) /;

/** An expected update in short words; undefined for those that say nothing here. */
function expected(out: Fields): string[] {
  const update = fieldsIn(out, "update");
  const id = textIn(update, "toolCallId");
  const who = fieldsIn(update, "_meta").sessionId === undefined ? "" : "child ";
  switch (out.kind) {
    case "prompt_response":
      return [`end ${out.stopReason}`];
    case "prompt_error":
      return [`end error ${out.messageContains}`];
    case "subagent_started":
      return [];
    case "usage":
      return [`usage ${out.used} ${out.cost}`];
    case "compaction":
      return [`summary ${out.summary}`, "end end_turn"];
  }
  const text = textIn(fieldsIn(update, "content"), "text");
  if (update.sessionUpdate === "agent_message_chunk") return [`${who}text ${text}`];
  if (update.sessionUpdate === "agent_thought_chunk") return [`${who}reasoning ${text}`];
  if (update.sessionUpdate === "tool_call") return [`${who}call ${id}`];
  const output = fieldsIn(update, "rawOutput").output;
  const status = update.status === "pending" ? [] : [`${who}${update.status ?? "completed"} ${id}`];
  return [...status, ...(output === undefined ? [] : [`${who}output ${id} ${output}`])];
}

/** The events of a session in the same words. */
function told(world: World, name: (key: string) => string, who = ""): string[] {
  let isSummary = false;
  return world.events.flatMap((event): string[] => {
    switch (event.type) {
      case "step.started":
        isSummary = event.data.summary === true;
        return [];
      case "item.delta": {
        const { kind, role, delta } = event.data;
        if (kind === "reasoning") return [`${who}reasoning ${delta}`];
        return kind === "message" && role === "assistant" ? [`${who}${isSummary ? "summary" : "text"} ${delta}`] : [];
      }
      case "item.started":
        return event.data.item.kind === "tool_call" ? [`${who}call ${name(event.data.item.call)}`] : [];
      case "item.updated": {
        const item = world.of("item.started").find(({ data }) => data.item.id === event.data.item)?.data.item;
        return event.data.status === "running" && item?.kind === "tool_call"
          ? [`${who}in_progress ${name(item.call)}`]
          : [];
      }
      case "item.completed": {
        const { item } = event.data;
        if (item.kind === "tool_result") return item.text ? [`${who}output ${name(item.call)} ${item.text}`] : [];
        return item.kind === "tool_call" ? [`${who}${item.status} ${name(item.call)}`] : [];
      }
      case "step.ended": {
        const { usage } = event.data;
        return usage?.context ? [`usage ${usage.context.used} ${usage.cost}`] : [];
      }
      case "turn.ended":
        return [`end ${event.data.reason}${event.data.error ? ` ${event.data.error.message.replace(/\.$/, "")}` : ""}`];
      default:
        return [];
    }
  });
}

describe("cases of the event stream", () => {
  test("are all there", () => assert.equal(CASES.length, 64));

  for (const one of CASES)
    test(`${one.id}: ${one.title}`, () => {
      const wanted = OTHERWISE[one.id] ?? one.steps.flatMap(({ out }) => out.flatMap(expected));
      const played = new CaseReplay(one);
      if (LOOKED_FOR.test(one.id)) played.read(JSON.stringify(one.steps[0]?.in));
      for (const step of one.steps) played.read(JSON.stringify(step.in));
      const ends = wanted.some((line) => /^(?:end|summary)/.test(line));
      assert.equal(played.root.of("turn.ended").length, 0, "only the REST API says that a turn is over");
      if (ends) played.finish();
      const name = (key: string): string => played.callId(key);
      const children = [...played.children.values()].flatMap(({ world }) => told(world, name, "child "));
      // A call that was first seen completed was running before, and outputs count only where the case looks at them.
      const isWanted = (line: string): boolean =>
        !ASIDE.test(line) || wanted.some((other) => ASIDE.exec(other)?.[1] === ASIDE.exec(line)?.[1]);
      const all = [...children, ...told(played.root, name)].filter(isWanted);
      assert.deepEqual([...all].sort(), [...wanted].sort());
      // A summary is told by the list of all messages.
      if (one.id !== "compacted") assert.equal(played.fetches, one.fetches ?? played.fetches);
      played.end();
      for (const world of played.worlds()) assert.deepEqual(world.broken(), []);
    });
});
