import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { OpencodeEvent } from "../../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { Stage } from "../../agents/claude/stage.ts";
import { eventually } from "../../support/eventually.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";
import { Listener } from "../../surfaces/opencode/listener.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
};

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    touch: [{ tools: [bash("touch made.txt")] }, { text: "It went on." }],
    ask: [
      { tools: [{ name: "AskUserQuestion", input: { questions: [question] } }] },
      { text: "It said: {{last_tool_result}}" },
    ],
    slow: [{ text: Array.from({ length: 200 }, (_, n) => ({ text: `word${n} `, delay: 100 })) }],
    // The newest version runs no command that does nothing but sleep.
    long: [{ tools: [bash("touch started; sleep 300")] }, { text: "Woke up." }],
    broken: [{ fail: { status: 400, message: "a bad request" } }],
  },
};

/** One client of OpenCode's API that drives a session of the real Claude Code and listens to it. */
class Seat {
  readonly stage: Stage;
  readonly client: OpencodeClient;
  readonly listener: Listener;
  readonly session: string;
  private turns = 0;

  private constructor(stage: Stage, client: OpencodeClient, listener: Listener, session: string) {
    this.stage = stage;
    this.client = client;
    this.listener = listener;
    this.session = session;
  }

  static async take(t: TestContext): Promise<Seat> {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const { id } = await client.expect<Session>(200, "POST", `/session${query}`, { body: {} });
    const listener = new Listener(`${stage.api.url}/event${query}`);
    await listener.connect();
    return new Seat(stage, client, listener, id);
  }

  async prompt(text: string): Promise<void> {
    this.turns += 1;
    const body = { parts: [{ type: "text", text }] };
    await this.client.expect(204, "POST", `/session/${this.session}/prompt_async`, { body });
  }

  asked(type: "permission.asked" | "question.asked"): Promise<OpencodeEvent> {
    return this.listener.until((event) => event.type === type, type);
  }

  /** The last message, once the turn is over and was told as every turn must be. */
  async over(): Promise<MessageWithParts> {
    await this.listener.idle(this.session);
    const statuses = this.listener.heard
      .filter(({ type, properties }) => type === "session.status" && properties.sessionID === this.session)
      .map(({ properties }) => (properties.status as { type: string }).type);
    assert.deepEqual(statuses, Array.from({ length: this.turns }, () => ["busy", "idle"]).flat());
    const messages = await this.client.get<MessageWithParts[]>(`/session/${this.session}/message`);
    const { mirror } = this.listener;
    assert.deepEqual(mirror.transcript(this.session), messages, "what was told is what there is");
    assert.deepEqual([mirror.faults, mirror.asks.size], [[], 0]);
    const last = messages.at(-1);
    assert.ok(last?.info.role === "assistant" && last.info.time.completed !== undefined);
    return last;
  }

  async leave(): Promise<void> {
    await this.listener.leave();
    await this.stage.close(this.turns);
  }
}

function textOf({ parts }: MessageWithParts): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function errorOf({ info }: MessageWithParts): string | undefined {
  return info.role === "assistant" ? info.error?.name : undefined;
}

describe("the real Claude Code through OpenCode's API", { skip, timeout: GROUP_MS }, () => {
  test("A5: a permission allowed, one refused, a question, each turn busy once and idle once", async (t) => {
    const seat = await Seat.take(t);
    await seat.prompt("[[touch]]");
    const asked = await seat.asked("permission.asked");
    await seat.client.expect(200, "POST", `/permission/${asked.properties.id}/reply`, { body: { reply: "once" } });
    assert.equal(textOf(await seat.over()), "It went on.");
    assert.ok(existsSync(join(seat.stage.directory, "made.txt")));

    await seat.prompt("[[touch]] again");
    const again = await seat.asked("permission.asked");
    await seat.client.expect(200, "POST", `/permission/${again.properties.id}/reply`, { body: { reply: "reject" } });
    const refused = await seat.over();
    assert.equal(textOf(refused), "", "a refusal without words ends the turn");
    assert.equal(errorOf(refused), undefined);

    await seat.prompt("[[ask]]");
    const wondered = await seat.asked("question.asked");
    await seat.client.expect(200, "POST", `/question/${wondered.properties.id}/reply`, {
      body: { answers: [["Blue"]] },
    });
    assert.match(textOf(await seat.over()), /Blue/);
    await seat.leave();
  });

  test("A6: an abort in the middle of words and of a command, an error, and the program's death", async (t) => {
    const seat = await Seat.take(t);
    await seat.prompt("[[slow]]");
    await seat.listener.until(({ type }) => type === "message.part.delta", "the first word");
    await seat.client.expect(200, "POST", `/session/${seat.session}/abort`);
    assert.equal(errorOf(await seat.over()), "MessageAbortedError");

    await seat.prompt("[[long]]");
    const asked = await seat.asked("permission.asked");
    await seat.client.expect(200, "POST", `/permission/${asked.properties.id}/reply`, { body: { reply: "once" } });
    await eventually("the command to run", () => existsSync(join(seat.stage.directory, "started")));
    await seat.client.expect(200, "POST", `/session/${seat.session}/abort`);
    assert.equal(errorOf(await seat.over()), "MessageAbortedError");

    await seat.prompt("[[broken]]");
    assert.equal(errorOf(await seat.over()), "APIError");

    await seat.prompt("[[slow]] once more");
    await seat.listener.until(({ type }) => type === "message.part.delta", "the first word");
    const [pid = 0] = seat.stage.programs();
    process.kill(pid, "SIGKILL");
    assert.ok(errorOf(await seat.over()));

    await seat.prompt("hello");
    assert.match(textOf(await seat.over()), /You said: .*hello/);
    await seat.leave();
  });
});
