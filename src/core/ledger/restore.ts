import { addTotals } from "../diff/file-totals.ts";
import type { EventData } from "../events/catalog.ts";
import type { ParleyEvent } from "../events/event.ts";
import type { Item } from "../events/items.ts";
import { present } from "../json/fields.ts";
import type { SessionState } from "../session-state.ts";
import { addUsage } from "../usage.ts";
import { AppendSet } from "./append-set.ts";
import { type LedgerAsk, type LedgerState, type LedgerTurn, newLedger, type OpenCall, type OpenText } from "./state.ts";

/** The ledger of a session from the log: from the session's state and the events of its open turn, if any. */
export function restore(session: SessionState, openTurnEvents: readonly ParleyEvent[]): LedgerState {
  const { nativeId, title, model, mode, options, offers, toRewind, mcpServers, permissions, meta } = session;
  const facts = present({ nativeId, title, model, mode, options, offers, toRewind, mcpServers, permissions, meta });
  return {
    ...newLedger(session.agent, session.directory, facts),
    limits: session.limits ?? [],
    begun: session.turns > 0,
    live: session.ended === undefined,
    // A deleted session may be loaded once more before the log has forgotten it.
    deleted: session.ended?.reason === "deleted",
    ...present({ lastPrompt: session.lastPrompt }),
    queue: session.queue,
    untold: session.untold ?? [],
    rules: session.rules,
    turn: session.turn ? restoreTurn(session.turn, openTurnEvents) : null,
  };
}

function restorePermission({ ask, action, command, patterns, options }: EventData["permission.requested"]): LedgerAsk {
  return present({ id: ask, kind: "permission", action, command, patterns, offers: options.map(({ kind }) => kind) });
}

function addDelta(texts: Map<string, string>, { item, field, delta = "", replace }: EventData["item.delta"]): void {
  if (field === "text") texts.set(item, replace ?? (texts.get(item) ?? "") + delta);
}

function begunWith({ model, replayed, elsewhere }: EventData["turn.started"]): Pick<LedgerTurn, "model" | "elsewhere"> {
  return present({ model, elsewhere: replayed || elsewhere ? true : undefined });
}

function restoreTurn(open: NonNullable<SessionState["turn"]>, events: readonly ParleyEvent[]): LedgerTurn {
  const items = new Map<string, Item>();
  const texts = new Map<string, string>();
  const asks = new Map<string, LedgerAsk>();
  let step: LedgerTurn["step"] = null;
  let steps = 0;
  let task: LedgerTurn["task"];
  let files: LedgerTurn["files"];
  let begun: Pick<LedgerTurn, "model" | "elsewhere"> = {};
  let usage: LedgerTurn["usage"];
  for (const event of events) {
    if (event.turn !== open.id) continue;
    switch (event.type) {
      case "turn.started":
        task = event.data.prompt?.task;
        begun = begunWith(event.data);
        break;
      case "item.started":
        items.set(event.data.item.id, event.data.item);
        break;
      case "item.updated": {
        const { item: id, ...news } = event.data;
        const item = items.get(id);
        if (item) items.set(id, { ...item, ...news } as Item);
        break;
      }
      case "item.delta":
        addDelta(texts, event.data);
        break;
      case "item.completed":
        items.delete(event.data.item.id);
        if (event.data.item.kind === "tool_result" && event.data.item.files)
          files = addTotals(files, event.data.item.files);
        break;
      case "step.started":
        step = { number: event.data.step, id: event.data.id };
        steps = event.data.step;
        break;
      case "step.ended":
        step = null;
        if (event.data.usage) usage = addUsage(usage ?? {}, event.data.usage);
        break;
      case "permission.requested":
        asks.set(event.data.ask, restorePermission(event.data));
        break;
      case "question.requested":
        asks.set(event.data.ask, { id: event.data.ask, kind: "question", questions: event.data.questions });
        break;
      case "permission.resolved":
      case "question.resolved":
        asks.delete(event.data.ask);
        break;
      default:
        event.type satisfies
          | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
          | `prompt.${"queued" | "withdrawn"}`
          | `turn.${"status" | "ended"}`
          | `${"plan" | "usage"}.updated`
          | ("history.cut" | "error" | "agent.unparsed");
    }
  }
  return {
    ...present({ id: open.id, by: open.by, task, files, usage, started: open.started }),
    ...begun,
    steps,
    step,
    ...openItems([...items.values()], texts),
    done: AppendSet.EMPTY,
    asks,
    settledAsks: new Set(),
    cancelled: false,
    end: null,
    status: open.status,
  };
}

/** The open items of a turn. The agent's keys are not in the log; ids stand for them, since the agent is gone. */
function openItems(items: readonly Item[], streamed: ReadonlyMap<string, string>): Pick<LedgerTurn, "texts" | "calls"> {
  const texts = new Map<string, OpenText>();
  const calls = new Map<string, OpenCall>();
  for (const item of items) {
    const { id, step, parentCall } = item;
    const text = streamed.get(id) ?? "";
    if (item.kind === "message" || item.kind === "reasoning") {
      const role = item.kind === "message" ? item.role : "assistant";
      texts.set(id, { id, step, parentCall, text, known: { kind: item.kind, role } });
    } else if (item.kind === "tool_call") {
      const { name, title, input, metadata, child } = item;
      const status = item.status === "running" ? "running" : "pending";
      const said = { id, step, parentCall, name, title, input, metadata, ...present({ child }) };
      calls.set(item.call, { ...said, status, inputText: "", heldOutput: "" });
    }
  }
  for (const item of items) {
    const call = item.kind === "tool_result" ? calls.get(item.call) : undefined;
    if (call) call.result = { id: item.id, text: streamed.get(item.id) ?? "" };
  }
  return { texts, calls };
}
