import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { reduceSession, type SessionState } from "../../../../src/core/session-state.ts";
import { planFold } from "../../../../src/log/fold-plan.ts";
import type { Projected } from "../../../../src/surfaces/opencode/projection/outbox.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { NaiveClient } from "./naive-client.ts";
import { anyScenario, play } from "./worlds.ts";

const RUNS = 300;

/** Each event of any lawful session, beside what became of it. */
function eachSession(check: (events: readonly ParleyEvent[]) => void): void {
  fc.assert(
    fc.property(anyScenario, (scenario) => {
      for (const world of play(scenario)) check(world.events);
    }),
    { numRuns: RUNS, seed: 41 },
  );
}

function project(events: readonly ParleyEvent[]): { view: SessionView; said: Projected[] } {
  const view = new SessionView(undefined);
  return { view, said: events.flatMap((event) => view.apply(event)) };
}

function statesBefore(events: readonly ParleyEvent[]): SessionState[] {
  const states: SessionState[] = [];
  let state: SessionState | undefined;
  for (const event of events) {
    state = reduceSession(state, event);
    states.push(state);
  }
  return states;
}

test("a client that only listens holds what the view holds, at every moment", () => {
  eachSession((events) => {
    const view = new SessionView(undefined);
    const client = new NaiveClient();
    for (const event of events) {
      for (const projected of view.apply(event)) client.hear(projected);
      assert.deepEqual(client.status, view.status());
      const { permissions, questions } = view.asks();
      assert.deepEqual([...client.asks].sort(), [...permissions, ...questions].map(({ id }) => id).sort());
      if (event.type !== "turn.ended") continue;
      assert.deepEqual(client.list(), view.messages());
      assert.deepEqual(client.session, view.session());
    }
    assert.deepEqual(client.list(), view.messages());
    assert.deepEqual(client.asks.size, 0);
  });
});

test("busy once and idle once for each turn, and nothing of the turn outside of them", () => {
  eachSession((events) => {
    const view = new SessionView(undefined);
    let words: string[] | undefined;
    for (const event of events) {
      const said = view.apply(event).map((projected) => projected.event);
      if (event.type === "turn.started") words = [];
      for (const { type, properties } of said) {
        if (type === "session.status") words?.push(properties.status.type);
        else if (type === "session.idle") words?.push("session.idle");
        else words?.push("*");
      }
      if (event.type === "turn.ended") {
        assert.match(
          (words ?? []).join(" "),
          /^busy( \*| retry( \*| retry)* busy)*( retry( \*| retry)*)?( \*)* idle session.idle$/,
        );
        words = undefined;
      } else if (words === undefined) {
        const ofTurns = said.filter(({ type }) => type === "session.status" || type === "session.idle");
        assert.deepEqual(ofTurns, []);
      }
    }
  });
});

test("each error of a turn is said once, before idle", () => {
  eachSession((events) => {
    const view = new SessionView(undefined);
    for (const event of events) {
      const errors = view.apply(event).filter(({ event: { type } }) => type === "session.error");
      if (event.type === "turn.ended") {
        const failed = ["error", "cancelled", "interrupted"].includes(event.data.reason);
        assert.equal(errors.length, failed ? 1 : 0);
      } else if (event.turn !== undefined) assert.equal(errors.length, 0);
    }
  });
});

test("every message is over when its turn is", () => {
  eachSession((events) => {
    for (const { info, parts } of project(events).view.messages()) {
      if (info.role !== "assistant") continue;
      assert.ok(info.time.completed !== undefined);
      assert.ok(info.finish !== undefined || info.error !== undefined || shells(events).has(info.id));
      for (const part of parts) {
        if (part.type === "tool") assert.ok(part.state.status === "completed" || part.state.status === "error");
        if (part.type === "text" || part.type === "reasoning") assert.ok(part.time?.end !== undefined);
      }
    }
  });
});

/** Messages of commands that the user ran: no model made them. */
function shells(events: readonly ParleyEvent[]): ReadonlySet<string> {
  const messages = new Set<string>();
  let shell = false;
  for (const event of events) {
    if (event.type === "turn.started") shell = event.data.prompt?.task?.type === "shell";
    if (event.type === "step.started" && shell) messages.add(event.data.id);
  }
  return messages;
}

test("ids are unique, and parts sort as they are to be shown", () => {
  const steps = /^( step-start( text| reasoning| tool)*)?( step-finish)?( patch)?$/;
  const bare = /^( text| reasoning| tool)*( patch)?$/;
  eachSession((events) => {
    const { view, said } = project(events);
    const messages = view.messages();
    const partIds = messages.flatMap(({ parts }) => parts.map(({ id }) => id));
    assert.equal(new Set(partIds).size, partIds.length);
    assert.equal(new Set(said.map(({ event: { id } }) => id)).size, said.length);
    for (const { info, parts } of messages) {
      const ids = parts.map(({ id }) => id);
      assert.deepEqual(ids, [...ids].sort());
      if (info.role !== "assistant") continue;
      const shape = shells(events).has(info.id) ? bare : steps;
      assert.match(parts.map(({ type }) => ` ${type}`).join(""), shape);
    }
  });
});

test("the same log gives the same words", () => {
  eachSession((events) => assert.deepEqual(project(events).said, project(events).said));
});

function without(events: readonly ParleyEvent[], upTo: number): ParleyEvent[] {
  const completed = new Map<string, number>();
  for (const event of events) if (event.type === "item.completed") completed.set(event.data.item.id, event.seq);
  const rows = events.slice(0, upTo).map(({ seq, type, folded = 0, ...event }) => ({
    seq,
    type,
    folded,
    item: type === "item.delta" ? (event.data as { item: string }).item : null,
  }));
  const { drop } = planFold(rows, (item) => completed.get(item));
  return events.filter(({ seq }) => !drop.some(({ from, to }) => from <= seq && seq <= to));
}

test("a log whose deltas were folded away gives the same messages", () => {
  eachSession((events) => {
    const folded = without(events, events.length);
    assert.deepEqual(project(folded).view.messages(), project(events).view.messages());
  });
});

/** Messages that are there after a turn, and were not or were different before it. */
function changed(before: readonly MessageWithParts[], after: readonly MessageWithParts[]): MessageWithParts[] {
  const known = new Map(before.map((message) => [message.info.id, JSON.stringify(message)]));
  return after.filter((message) => known.get(message.info.id) !== JSON.stringify(message));
}

test("a view that begins at a turn gives the messages of that turn, with or without the turns before", () => {
  eachSession((events) => {
    const states = statesBefore(events);
    const last = states.at(-1);
    assert.ok(last);
    const later: SessionState = { ...last, turn: null, queue: [], asks: [] };
    const whole = new SessionView(undefined);
    const begun: { view: SessionView; before: MessageWithParts[] }[] = [];
    for (const event of events) {
      if (event.type === "turn.started") {
        const before = whole.messages();
        const then = states[event.seq - 2];
        begun.push({ view: new SessionView(then), before }, { view: new SessionView(later), before });
      }
      whole.apply(event);
      for (const { view } of begun) view.apply(event);
      if (event.type !== "turn.ended") continue;
      const after = whole.messages();
      for (const { view, before } of begun.splice(0)) {
        const held = new Map(view.messages().map((message) => [message.info.id, message]));
        // The state's queue has the prompts of later turns.
        const waiting: ReadonlySet<string> = new Set(states[event.seq - 1]?.queue.map(({ id }) => id));
        for (const message of changed(before, after))
          if (!waiting.has(message.info.id)) assert.deepEqual(held.get(message.info.id), message);
      }
    }
  });
});

/** A state without the prompts that were queued at a number or later, as a view needs it that takes those events in again. */
function queuedBefore(state: SessionState, events: readonly ParleyEvent[], number: number): SessionState {
  const later = new Set<string>();
  for (const event of events.slice(number - 1)) if (event.type === "prompt.queued") later.add(event.data.prompt.id);
  return { ...state, queue: state.queue.filter(({ id }) => !later.has(id)) };
}

test("a view that is made from the newest state and the newest turn goes on as one that saw everything", () => {
  const options = { keep: { turns: 0, withinMs: 0 } };
  eachSession((events) => {
    const states = statesBefore(events);
    const whole = new SessionView(undefined, options);
    let start = events.length + 1;
    let seen = 0;
    let late: SessionView | undefined;
    for (const event of events) {
      const said = whole.apply(event);
      // As the projector does: a view that has not seen the turns of a cut is read again with them.
      if (event.type === "history.cut" && event.data.from < seen) late = undefined;
      if (late) assert.deepEqual(late.apply(event), said);
      if (event.type === "turn.started") start = event.seq;
      if (event.seq % 7 !== 0) continue;
      const state = states[event.seq - 1];
      assert.ok(state);
      seen = start;
      late = new SessionView(queuedBefore(state, events, start), { ...options, asOf: event.seq });
      for (const past of events.slice(start - 1, event.seq)) late.apply(past);
      assert.deepEqual(late.messages(), whole.messages());
      assert.deepEqual(late.asks(), whole.asks());
      assert.deepEqual(late.status(), whole.status());
      assert.deepEqual(late.session(), whole.session());
    }
  });
});

test("the turns that a view keeps do not change its events", () => {
  eachSession((events) => {
    const newest = new SessionView(undefined, { keep: { turns: 0, withinMs: 0 } });
    const more = new SessionView(undefined, { keep: { turns: 3, withinMs: Number.MAX_SAFE_INTEGER } });
    const all = new SessionView(undefined);
    for (const event of events) {
      assert.deepEqual(more.apply(event), newest.apply(event));
      all.apply(event);
      const held = new Set(more.messages().map(({ info }) => info.id));
      for (const { info } of newest.messages()) assert.ok(held.has(info.id), `${info.id} of the newest turn is held`);
      const known = new Map(all.messages().map((message) => [message.info.id, message]));
      for (const message of more.messages()) assert.deepEqual(message, known.get(message.info.id));
    }
  });
});
