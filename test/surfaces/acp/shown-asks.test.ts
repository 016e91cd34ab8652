import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { answered, asked, begun, call, ended, LogClient } from "./log-client.ts";
import { told, Watcher } from "./watcher.ts";

/** A session, its sub-agent, and the sub-agent of that one. */
const LINE = ["ses_root", "ses_child", "ses_deep"] as const;

const deeds = ["work", "ask", "answer", "start", "background", "end"] as const;
const actions = fc.oneof(
  { weight: 8, arbitrary: fc.record({ deed: fc.constantFrom(...deeds), depth: fc.constantFrom(0, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constantFrom("load" as const, "resume" as const) }) },
);

/** The steps in a line of sessions, each the sub-agent of the one before it. */
class Line {
  readonly log = new LogClient().begin(LINE[0]).begin(LINE[1], LINE[0]).begin(LINE[2], LINE[1]);
  #made = 0;
  readonly #at = LINE.map((id) => ({
    id,
    turn: undefined as string | undefined,
    ask: undefined as { ask: string; of: string } | undefined,
    /** The open call that has the next one at work. */
    task: undefined as string | undefined,
  }));

  /** Does something, where it is possible now. */
  act(deed: (typeof deeds)[number], depth: number): void {
    const one = this.#at[depth];
    const next = this.#at[depth + 1];
    if (!one) return;
    const { id, turn, ask, task } = one;
    if (deed === "work" && depth === 0 && turn === undefined) this.#begin(one);
    if (turn === undefined) return;
    if (deed === "ask" && !ask) {
      const name = this.#name();
      one.ask = { ask: `per_${name}`, of: `bash_${name}` };
      this.log.say(id, call(turn, one.ask.of, "pending"), asked(turn, one.ask.ask, one.ask.of));
    }
    if (deed === "answer" && ask) {
      one.ask = undefined;
      this.log.say(id, answered(turn, ask.ask), call(turn, ask.of, "completed"));
    }
    if (deed === "start" && next && task === undefined && next.turn === undefined) {
      one.task = `task_${this.#name()}`;
      this.log.say(id, call(turn, one.task, "pending", { child: next.id }));
      this.#begin(next);
    }
    if (deed === "background" && next && task !== undefined) {
      one.task = undefined;
      this.log.say(id, call(turn, task, "completed", { child: next.id, background: true }));
    }
    if (deed === "end" && !ask && task === undefined) this.#end(depth);
  }

  #begin(one: { id: string; turn: string | undefined }): void {
    one.turn = `turn_${this.#name()}`;
    this.log.say(one.id, begun(one.turn));
  }

  #end(depth: number): void {
    const one = this.#at[depth];
    const above = this.#at[depth - 1];
    if (one?.turn === undefined) return;
    this.log.say(one.id, ended(one.turn));
    one.turn = undefined;
    if (above?.turn === undefined || above.task === undefined) return;
    this.log.say(above.id, call(above.turn, above.task, "completed", { child: one.id }));
    above.task = undefined;
  }

  #name(): number {
    this.#made++;
    return this.#made;
  }
}

/** The call of an ask is named like it. */
const callsOf = (asks: readonly string[]) => asks.map((ask) => ask.replace("per_", "bash_")).sort();

test("a client is shown an ask, by its call, while it is open in the log, and never another one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 10, maxLength: 50 }), async (todo) => {
      const line = new Line();
      const wrong: string[] = [];
      const note = (id: string): void => {
        if (!callsOf(line.log.openAsks()).includes(id)) wrong.push(id);
      };
      let watcher = new Watcher(line.log, note);
      await watcher.open(LINE[0], "load");
      for (const action of [{ deed: "work" as const, depth: 0 }, ...todo]) {
        if ("depth" in action) line.act(action.deed, action.depth);
        else {
          await watcher.sessions.close();
          watcher = new Watcher(line.log, note);
          await watcher.open(LINE[0], action.deed);
        }
        await told();
        assert.deepEqual([...watcher.shown].sort(), callsOf(line.log.openAsks()));
        assert.deepEqual(wrong, []);
      }
      await watcher.sessions.close();
    }),
    { numRuns: 150 },
  );
});
