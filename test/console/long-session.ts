import { createClient } from "../../src/client/index.ts";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { exportHeader } from "../../src/core/history/exported.ts";
import { type IdKind, idSource } from "../../src/core/ids.ts";

interface Length {
  turns: number;
  /** Tool calls in each turn. */
  calls: number;
}

/** A session with many turns as the lines of an export: prompts, texts, tool calls with their results. */
export function longExport(
  { turns, calls }: Length,
  directory: string,
): { lines: string; seqOf(turn: number): number } {
  let time = Date.now() - 86_400_000;
  const make = idSource(() => time);
  const newId = (kind: IdKind): string => make(kind);
  const session = newId("session");
  const events: ParleyEvent[] = [];
  const starts: number[] = [];
  const say = (type: ParleyEvent["type"], data: unknown, turn?: string): void => {
    time += 5;
    const seq = events.length + 1;
    const envelope = { id: `${session}:${seq}`, seq, session, time, source: "agent", type, data };
    events.push({ ...envelope, ...(turn ? { turn } : {}) } as ParleyEvent);
  };
  const item = (turn: string, begun: object, done: object): void => {
    const id = newId("item");
    say("item.started", { item: { id, status: "running", ...begun } }, turn);
    if ("delta" in done) {
      const { delta, ...rest } = done as { delta: string };
      const kind = Reflect.get(begun, "kind");
      say(
        "item.delta",
        { item: id, kind, field: "text", delta, ...(kind === "message" ? { role: "assistant" } : {}) },
        turn,
      );
      say("item.completed", { item: { id, status: "completed", ...begun, text: delta, ...rest } }, turn);
    } else say("item.completed", { item: { id, status: "completed", ...begun, ...done } }, turn);
  };
  say("session.started", { agent: "house", directory, version: 1, title: "A long session" });
  for (let at = 1; at <= turns; at++) {
    const turn = newId("turn");
    const prompt = newId("message");
    starts[at] = events.length + 2;
    say("turn.started", { by: "user", prompt: { id: prompt } }, turn);
    const words = { id: prompt, kind: "message", role: "user", text: `Prompt ${at} of the long session` };
    say("item.started", { item: { ...words, status: "running" } }, turn);
    say("item.completed", { item: { ...words, status: "completed" } }, turn);
    say("step.started", { step: 1, id: newId("message") }, turn);
    const step = events.at(-1)?.data as { id: string };
    for (let one = 1; one <= calls; one++) {
      const call = `call_${at}_${one}`;
      const id = newId("item");
      const made = { id, kind: "tool_call", call, name: "bash", step: 1, input: { command: `echo ${at} ${one}` } };
      say("item.started", { item: { ...made, status: "pending" } }, turn);
      say("item.updated", { item: id, status: "running" }, turn);
      item(turn, { kind: "tool_result", call, step: 1 }, { delta: `${at} ${one}\n` });
      say("item.completed", { item: { ...made, status: "completed" } }, turn);
    }
    item(
      turn,
      { kind: "message", role: "assistant", step: 1 },
      { delta: `Answer ${at}, with **some** \`markdown\` in it.` },
    );
    say("step.ended", { step: 1, id: step.id }, turn);
    say("turn.ended", { reason: "end_turn", duration: 50 }, turn);
  }
  const header = exportHeader(session, [{ id: session, last: events.length }]);
  return {
    lines: [header, ...events].map((line) => JSON.stringify(line)).join("\n"),
    seqOf: (turn) => starts[turn] ?? 0,
  };
}

/** Stores such a session in a server. `seqOf` tells the number of a turn's prompt. */
export async function longSession(server: { parley: { url: string }; directory: string }, length: Length) {
  const client = createClient({ url: server.parley.url, token: null });
  const { lines, seqOf } = longExport(length, server.directory);
  const { id } = await client.sessions.import(lines);
  return { id, turns: length.turns, seqOf };
}
