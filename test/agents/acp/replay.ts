import { type Asked, askPermission } from "../../../src/agents/acp/asks.ts";
import { choicesOf, factsOf, withConfig, withCurrent } from "../../../src/agents/acp/choices.ts";
import { Decoder } from "../../../src/agents/acp/decode/decoder.ts";
import { type Heard, readLine } from "../../../src/agents/acp/read-line.ts";
import { Rpc } from "../../../src/agents/acp/rpc.ts";
import type { PromptPart } from "../../../src/core/events/values.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { Replay } from "../replay/replay.ts";

const OPENS: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);

/** Plays a recording of an agent: what was written to it opens sessions and begins turns, as the adapter does. */
export class AcpReplay extends Replay {
  decoder = new Decoder({
    prefix: "start1",
    directory: "/lab/work",
    readFile: () => undefined,
    terminalText: () => undefined,
  });
  private readonly written = new Map<unknown, Fields>();
  private readonly asks = new Map<unknown, Asked>();
  private readonly waiting: Fields[] = [];
  private choices = choicesOf({});
  private session = "";
  private prompting: unknown;
  private stopped = false;
  private refused = false;
  private prompts = 0;

  read(text: string): void {
    const heard = readLine(text);
    if (heard.what === "nothing" && heard.noise) this.noise.push(heard.noise);
    if (heard.what === "answer") this.answered(heard.line);
    if (heard.what === "request" && heard.method === "session/request_permission") this.ask(heard);
    if (heard.what === "notification" && heard.method === "session/update") this.update(heard.params);
  }

  private tell(signals: ReturnType<Decoder["update"]>): void {
    for (const signal of signals) this.say(signal);
  }

  private answered(line: Fields): void {
    const asked = this.written.get(line.id);
    this.written.delete(line.id);
    const method = textIn(asked ?? {}, "method") ?? "";
    const result = fieldsIn(line, "result");
    if (OPENS.has(method) && line.error === undefined) this.opened(method, fieldsIn(asked ?? {}, "params"), result);
    if (method === "session/set_config_option") this.configured(listIn(result, "configOptions"));
    if (method === "session/prompt" && line.id === this.prompting) this.finished(line);
  }

  private opened(method: string, params: Fields, result: Fields): void {
    const isNew = method === "session/new";
    this.session = textIn(isNew ? result : params, "sessionId") ?? "";
    if (isNew) this.decoder.isNew();
    else this.tell(this.decoder.endPast());
    this.choices = choicesOf(result);
    const again = isNew ? {} : ({ resume: "resumed" } as const);
    this.say({ ...factsOf(this.choices), nativeId: this.session, ...again });
  }

  private configured(configs: Fields[]): void {
    if (configs.length === 0) return;
    this.choices = withConfig(this.choices, configs);
    this.say(factsOf(this.choices));
  }

  private finished(line: Fields): void {
    this.prompting = undefined;
    const { stopped, refused } = this;
    const rpc = new Rpc(async () => {});
    rpc.call("session/prompt", {}, (response) => this.tell(this.decoder.end(response, { stopped, refused })));
    rpc.answered({ ...line, id: 1 });
    const next = this.waiting.shift();
    if (next) this.begin(next);
  }

  private update(params: Fields): void {
    if (this.session !== "" && textIn(params, "sessionId") !== this.session) return;
    const update = fieldsIn(params, "update");
    const mode = textIn(update, "currentModeId");
    if (update.sessionUpdate === "config_option_update") return this.configured(listIn(update, "configOptions"));
    if (update.sessionUpdate !== "current_mode_update") return this.tell(this.decoder.update(update));
    this.choices = withCurrent(this.choices, "mode", mode ?? "");
    this.say(factsOf(this.choices));
  }

  private ask({ id, params }: Extract<Heard, { what: "request" }>): void {
    const call = this.decoder.call(textIn(fieldsIn(params, "toolCall"), "toolCallId"));
    const asked = askPermission(id, params, call, { ask: `start1:ask:${id}`, directory: "/lab/work" });
    this.asks.set(id, asked);
    this.say(asked.signal);
  }

  protected wrote(line: Fields): void {
    const method = textIn(line, "method");
    if (method === undefined) return this.answer(line);
    if (line.id !== undefined) this.written.set(line.id, line);
    if (method === "session/load") this.tell(this.decoder.beginPast(true));
    if (method === "session/cancel") this.cancel();
    if (method === "session/prompt") this.prompt(line);
  }

  /** A second prompt at once waits for the first, as all of these agents have it. */
  private prompt(line: Fields): void {
    if (this.prompting === undefined) this.begin(line);
    else this.waiting.push(line);
  }

  private begin(line: Fields): void {
    this.prompting = line.id;
    this.stopped = false;
    this.refused = false;
    const parts = listIn(fieldsIn(line, "params"), "prompt").map(
      (block): PromptPart => ({ type: "text", text: textIn(block, "text") ?? textIn(block, "uri") ?? "" }),
    );
    this.root.command({ type: "prompt", prompt: { id: `msg_${++this.prompts}`, parts } });
    this.tell(this.decoder.begin());
  }

  private cancel(): void {
    this.stopped = this.prompting !== undefined;
    this.root.command({ type: "cancel", queue: "keep" });
  }

  private answer(line: Fields): void {
    const asked = this.asks.get(line.id);
    if (!asked || !("ask" in asked.signal)) return;
    this.asks.delete(line.id);
    const given = textIn(fieldsIn(fieldsIn(line, "result"), "outcome"), "optionId");
    const once: Answer = { kind: "permission", outcome: "once" };
    const allows = JSON.stringify(asked.ask.reply(once)).includes(`"${given}"`);
    this.refused ||= !allows;
    if (!allows) this.decoder.refuse(asked.ask.call);
    const ask = this.root.state.turn?.asks.get(asked.signal.ask);
    const answer: Answer = allows ? once : { kind: "permission", outcome: "reject" };
    if (ask) this.root.command({ type: "answer", ask: ask.id, answer, by: "test" });
  }
}
