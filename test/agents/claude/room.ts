import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Outcome } from "../../../src/core/receipt.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { of, Stage } from "./stage.ts";

const write = (name: string) => ({ name: "Write", input: { file_path: name, content: "words\n" } });
const PLAN = { name: "ExitPlanMode", input: { plan: "1. Write" } };
const LAX = { description: "Write", prompt: "[[write]] it", subagent_type: "lax", run_in_background: false };
const SCRIPT: Script = {
  prompts: {
    here: [{ text: "Here." }],
    plan: [{ tools: [PLAN] }, { tools: [write("planned.txt")] }, { text: "Done." }],
    write: [{ tools: [write("made.txt")] }, { text: "Done." }],
    lax: [{ tools: [{ name: "Agent", input: LAX }] }, { text: "Done." }],
    enter: [{ tools: [{ name: "EnterPlanMode", input: {} }] }, { text: "It said: {{last_tool_result}}" }],
  },
};

/** A session of the real program, and what becomes of its files. */
export class Room {
  readonly stage: Stage;
  readonly session: string;
  turns = 0;

  constructor(stage: Stage, session: string) {
    this.stage = stage;
    this.session = session;
  }

  static async open(t: TestContext, program: string, mode: string): Promise<Room> {
    const stage = await Stage.open(t, program, { script: SCRIPT, env: { IS_SANDBOX: "1" } });
    return new Room(stage, await stage.session({ mode }));
  }

  has(name: string): boolean {
    return existsSync(join(this.stage.directory, name));
  }

  async mode(): Promise<string | undefined> {
    return (await this.stage.api.session(this.session)).mode;
  }

  ask(name: string, mode?: string): Promise<Outcome> {
    this.turns++;
    return this.stage.api.ask(this.session, {
      parts: [{ type: "text", text: `[[${name}]]` }],
      ...(mode === undefined ? {} : { mode }),
    });
  }

  /** Answers what is asked next. */
  async answer(kind: string, body: object): Promise<void> {
    const [ask] = await this.stage.asks(this.session);
    assert.equal(ask?.kind, kind);
    await this.stage.answer(this.session, ask?.id ?? "", body);
  }
}

export const reject = { outcome: "reject" };
export const choose = (label: string) => ({ outcome: "answered", answers: [[label]] });

/** A plan that is approved after work in another mode: what its options say is what happens. */
export async function planAfter(t: TestContext, program: string, before: string): Promise<void> {
  const room = await Room.open(t, program, before);
  await room.ask("here");
  assert.equal(await room.mode(), before);
  const asking = room.ask("plan", "plan");
  await room.answer("question", choose("Approve"));
  await room.answer("permission", reject);
  assert.equal((await asking).text, "Done.");
  assert.deepEqual([await room.mode(), room.has("planned.txt")], ["default", false]);
  const editing = room.ask("plan", "plan");
  await room.answer("question", choose("Approve and accept edits"));
  assert.equal((await editing).text, "Done.");
  assert.deepEqual([await room.mode(), room.has("planned.txt")], ["acceptEdits", true]);
  assert.equal(of(await room.stage.api.events(room.session), "permission.requested").length, 1);
  await room.stage.close(room.turns);
}
