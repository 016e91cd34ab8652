import { isLastWord, isRefusal } from "../../../src/agents/codex/answers.ts";
import { askKey } from "../../../src/agents/codex/decode/requests.ts";
import { newDecodeState, type Request } from "../../../src/agents/codex/decode/state.ts";
import { answered, opened } from "../../../src/agents/codex/decode/written.ts";
import { decodeLine, type Response } from "../../../src/agents/codex/decode.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { type Recorded, textOf } from "../replay/recording.ts";
import { Replay } from "../replay/replay.ts";

const EXIT = /^<<exit code=(\w+) signal=(\w+)>>$/;
const PREFIX = "start1";
const OPENS: ReadonlySet<string> = new Set(["thread/start", "thread/resume"]);

/** Plays a recording of Codex. */
export class CodexReplay extends Replay {
  state = newDecodeState("/lab/work", PREFIX);
  /** Requests that were written, by their ids. */
  private readonly asked = new Map<unknown, Fields>();
  private prompts = 0;

  read(text: string, now: number): void {
    const decoded = decodeLine(this.state, text, now);
    this.state = decoded.state;
    if (decoded.noise) this.noise.push(decoded.noise);
    if (decoded.response) this.onResponse(decoded.response);
    for (const { signal, child } of decoded.said) this.say(signal, child);
  }

  /** These recordings tell the program's end among the lines of its stderr. */
  override take(recorded: Recorded): this {
    const [, code, signal] = EXIT.exec(recorded.dir === "err" ? textOf(recorded) : "") ?? [];
    if (code === undefined) return super.take(recorded);
    const line = { code: code === "null" ? null : Number(code), signal: signal === "null" ? null : signal };
    return super.take({ ...recorded, dir: "exit", line });
  }

  private onResponse({ id, result }: Response): void {
    const method = textIn(this.asked.get(id) ?? {}, "method") ?? "";
    const thread = textIn(fieldsIn(result ?? {}, "thread"), "id");
    if (OPENS.has(method) && thread !== undefined) this.state = opened(this.state, thread, method !== "thread/start");
  }

  protected wrote(line: Fields): void {
    const method = textIn(line, "method");
    if (method === undefined) return this.answer(line);
    this.asked.set(line.id, line);
    const params = fieldsIn(line, "params");
    const cwd = textIn(params, "cwd");
    if (method === "thread/start" && cwd !== undefined) this.state = { ...this.state, directory: cwd };
    if (method === "turn/start" || method === "turn/steer") this.prompt(params);
    if (method === "thread/compact/start") this.prompt(params, { task: { type: "compact" } });
  }

  private prompt(params: Fields, more: { task?: { type: "compact" } } = {}): void {
    const text = listIn(params, "input")
      .map((part) => textIn(part, "text") ?? "")
      .join("");
    const prompt = { id: `msg_${++this.prompts}`, parts: [{ type: "text" as const, text }], ...more };
    this.root.command({ type: this.root.state.turn ? "steer" : "prompt", prompt });
  }

  private answer(line: Fields): void {
    const key = askKey(PREFIX, line.id as number);
    const request = this.state.requests.get(key);
    if (request === undefined) return;
    const world = this.worldOf(this.state.threads.get(request.thread)?.child);
    const ask = world.state.turn?.asks.get(key);
    const answer = answerOf(request, fieldsIn(line, "result"));
    this.state = answered(this.state, key, request, { refused: isRefusal(answer), lastWord: isLastWord(answer) });
    if (ask === undefined) return;
    world.command({ type: "answer", ask: ask.id, answer, by: "test" });
  }
}

const ALLOWED: ReadonlySet<unknown> = new Set(["accept", "acceptForSession"]);

function isQuestion({ method, params }: Request): boolean {
  if (method === "item/tool/requestUserInput") return true;
  return method === "mcpServer/elicitation/request" && fieldsIn(params, "_meta").codex_approval_kind === undefined;
}

/** The person's answer that a recorded result stands for. An error is a refusal. */
function answerOf(request: Request, result: Fields): Answer {
  const { decision, action } = result;
  if (!isQuestion(request)) {
    if (ALLOWED.has(decision ?? action)) return { kind: "permission", outcome: "once" };
    return { kind: "permission", outcome: "reject", ...(decision === "cancel" ? { stop: true } : {}) };
  }
  const given = fieldsIn(result, "answers");
  const named = listIn(request.params, "questions").map(({ id }) => fieldsIn(given, String(id)).answers);
  const form = Object.values(fieldsIn(result, "content")).map((value) => [String(value)]);
  const answers = (named.length > 0 ? named : form).map((one) => (Array.isArray(one) ? one.map(String) : []));
  if (action === "decline" || answers.every((one) => one.length === 0))
    return { kind: "question", outcome: "rejected" };
  return { kind: "question", outcome: "answered", answers };
}
