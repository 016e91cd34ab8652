import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OpencodeEvent } from "../../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { Listener } from "../../surfaces/opencode/listener.ts";
import type { AgentStage } from "../agent-stage.ts";
import { OpencodeClient } from "../opencode.ts";

/** One client of OpenCode's API that drives a session of a real agent and listens to it. */
export class Seat {
  readonly stage: AgentStage;
  readonly client: OpencodeClient;
  readonly listener: Listener;
  readonly session: string;
  private turns = 0;

  private constructor(stage: AgentStage, client: OpencodeClient, listener: Listener, session: string) {
    this.stage = stage;
    this.client = client;
    this.listener = listener;
    this.session = session;
  }

  static async take(stage: AgentStage): Promise<Seat> {
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const { id } = await client.expect<Session>(200, "POST", `/session${query}`, { body: {} });
    const listener = new Listener(`${stage.api.url}/event${query}`);
    await listener.connect();
    return new Seat(stage, client, listener, id);
  }

  /** Gives a prompt, in a mode where one is named. */
  async prompt(text: string, agent?: string): Promise<void> {
    this.turns += 1;
    const body = { parts: [{ type: "text", text }], agent };
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

export function textOf({ parts }: MessageWithParts): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

export function errorOf({ info }: MessageWithParts): string | undefined {
  return info.role === "assistant" ? info.error?.name : undefined;
}

/** The modes in which the agent asks for a command, puts a question, and runs a command without asking. Absent: it does so in its own. */
export interface SeatModes {
  asks?: string;
  wonders?: string;
  runs?: string;
}

/** `[[touch]]` touches a file, `[[ask]]` puts a question. */
export async function answerEach(seat: Seat, modes: SeatModes = {}): Promise<void> {
  await seat.prompt("[[touch]]", modes.asks);
  const asked = await seat.asked("permission.asked");
  await seat.client.expect(200, "POST", `/permission/${asked.properties.id}/reply`, { body: { reply: "once" } });
  assert.equal(textOf(await seat.over()), "It went on.");
  assert.ok(existsSync(join(seat.stage.directory, "made.txt")));

  await seat.prompt("[[touch]] again", modes.asks);
  const again = await seat.asked("permission.asked");
  await seat.client.expect(200, "POST", `/permission/${again.properties.id}/reply`, { body: { reply: "reject" } });
  const refused = await seat.over();
  assert.equal(textOf(refused), "", "a refusal without words ends the turn");
  assert.equal(errorOf(refused), undefined);

  await seat.prompt("[[ask]]", modes.wonders);
  const wondered = await seat.asked("question.asked");
  await seat.client.expect(200, "POST", `/question/${wondered.properties.id}/reply`, {
    body: { answers: [["Blue"]] },
  });
  assert.match(textOf(await seat.over()), /Blue/);
  await seat.leave();
}

/** `[[slow]]` has many words, `[[long]]` is a command that lasts, `[[broken]]` fails. */
export async function endEach(seat: Seat, modes: SeatModes = {}): Promise<void> {
  await seat.prompt("[[slow]]");
  await seat.listener.until(({ type }) => type === "message.part.delta", "the first word");
  await seat.client.expect(200, "POST", `/session/${seat.session}/abort`);
  assert.equal(errorOf(await seat.over()), "MessageAbortedError");

  await seat.prompt("[[long]]", modes.runs);
  await seat.listener.until(({ type, properties }) => {
    const part = properties.part as { type?: string; state?: { status: string } } | undefined;
    return type === "message.part.updated" && part?.type === "tool" && part.state?.status === "running";
  }, "the command to run");
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
}
