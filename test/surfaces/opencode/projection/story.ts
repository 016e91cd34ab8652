import type { FileChange, Usage } from "../../../../src/core/events/values.ts";
import type { Answer, ToolDone } from "../../../../src/core/ledger/signals.ts";
import type { Projected } from "../../../../src/surfaces/opencode/projection/outbox.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { SessionEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { World } from "../../../core/ledger/world.ts";
import { world } from "./worlds.ts";

export const USED: Usage = { tokens: { input: 100, output: 20 } };
export const EDITED: FileChange = {
  path: "README.md",
  kind: "modified",
  diff: "--- a/README.md\n+++ b/README.md\n@@ -4 +4,2 @@\n Last line.\n+Added line.\n",
  additions: 1,
  deletions: 0,
};

/** A session told in the agent's own words, one line for what it does. */
export class Story {
  readonly world: World = world();
  #items = 0;

  prompt(id = "msg_00000000000000000000000001"): this {
    this.world.prompt(id);
    return this;
  }

  step(): this {
    this.world.signal({ type: "step.begun", step: `step${this.#items++}` });
    return this;
  }

  endStep(finish: string, usage = USED): this {
    this.world.signal({ type: "step.finished", finish, usage });
    return this;
  }

  say(text: string, kind: "message" | "reasoning" = "message"): this {
    const item = `item${this.#items++}`;
    for (const delta of text.match(/\S+\s*/g) ?? []) this.world.signal({ type: "text", item, kind, delta });
    this.world.signal({ type: "text.done", item, kind, text });
    return this;
  }

  see(call: string, name: string): this {
    this.world.signal({ type: "tool.seen", call, name });
    return this;
  }

  run(call: string, name: string, input: unknown = {}): this {
    this.world.signal({ type: "tool.seen", call, name }).signal({ type: "tool.running", call, input });
    return this;
  }

  done(call: string, done: Partial<ToolDone> = {}): this {
    this.world.signal({ type: "tool.done", call, ok: true, output: "ok", ...done });
    return this;
  }

  fail(call: string, message: string): this {
    this.world.signal({ type: "tool.done", call, ok: false, error: { code: "failed", message } });
    return this;
  }

  ask(call: string, action: string, pattern: string): this {
    this.world.signal({ type: "permission", ask: `ask-${call}`, action, patterns: [pattern], call });
    return this;
  }

  question(call: string): this {
    const options = [{ label: "Red" }, { label: "Blue", description: "cold" }];
    const questions = [{ question: "Which color?", header: "Color", options }];
    this.world.signal({ type: "question", ask: `question-${call}`, questions, call });
    return this;
  }

  answer(answer: Answer): this {
    const [ask] = this.world.session?.asks ?? [];
    this.world.command({ type: "answer", ask: ask?.id ?? "", answer, by: "me" });
    return this;
  }

  end(reason: "end_turn" | "max_tokens" | "max_turns" | "refusal" | "cancelled" = "end_turn"): this {
    this.world.signal({ type: "turn.finished", reason }).fireTimers();
    return this;
  }

  cancel(): this {
    this.world.command({ type: "cancel", queue: "keep" });
    return this;
  }

  view(): SessionView {
    const view = new SessionView(undefined);
    for (const event of this.world.events) view.apply(event);
    return view;
  }

  projected(): Projected[] {
    const view = new SessionView(undefined);
    return this.world.events.flatMap((event) => view.apply(event));
  }

  said(): SessionEvent[] {
    return this.projected().map(({ event }) => event);
  }
}
