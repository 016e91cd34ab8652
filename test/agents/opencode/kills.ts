import assert from "node:assert/strict";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { eventually } from "../../support/eventually.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { Random } from "../../support/random.ts";
import { MARKERS } from "./chaos-script.ts";
import { completed, of, type Stage } from "./stage.ts";

/** Turns that a person would have to answer are left out. */
const SILENT = MARKERS.filter((marker) => marker !== "colour");

function hasMoved({ type, data }: ParleyEvent): boolean {
  return type === "item.completed" && data.item.kind === "status" && data.item.code === "agent_restarted";
}

/** Kills the server somewhere in a turn: the turn ends once, its calls are settled, no process is left, and the next prompt works. */
export async function killRun(stage: Stage, seed: number): Promise<string> {
  const random = new Random(seed);
  const { api } = stage;
  const marker = random.pick(SILENT);
  const directory = stage.project("kills");
  const id = await stage.session({ directory });
  await api.ask(id, "before");
  const running = api.ask(id, `[[${marker}]]`);
  const place = await stage.killSomewhere(id, random);
  const { reason } = await running;
  const what = `PARLEY_SEED=${seed}: ${marker}, killed ${place} -> ${reason}`;
  try {
    // A death between two turns is noticed in a moment. Where nothing was done for the prompt, it went to a new server.
    const isNoticed = (event: ParleyEvent): boolean =>
      event.session === id && (event.type === "session.ended" || hasMoved(event));
    await stage.stream.event(isNoticed, "the death is noticed");
    const next = await api.ask(id, "and now");
    assert.deepEqual([next.text, next.error], ["You said: and now", undefined]);
    const events = await lawfulEvents(api, id);
    assert.deepEqual([of(events, "turn.started").length, of(events, "turn.ended").length], [3, 3]);
    for (const { status } of completed(events, "tool_call")) assert.ok(status === "completed" || status === "failed");
    for (const { child } of completed(events, "tool_call"))
      if (typeof child === "string") await lawfulEvents(api, child);
    await eventually("one server is left", () => stage.processes().length === 1);
    return what;
  } catch (thrown) {
    throw new Error(what, { cause: thrown });
  }
}
