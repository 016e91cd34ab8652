import type { Reading, Want } from "../../../../src/agents/opencode/decode/state.ts";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";
import { type Fields, fieldsIn, isFields, jsonIn, listIn, textIn } from "../../../../src/core/json/fields.ts";
import type { Answer } from "../../../../src/core/ledger/signals.ts";
import { Replay } from "../../replay/replay.ts";
import { RecordedServer } from "./recorded-server.ts";

const PROMPTS = /^\/session\/[^/]+\/(prompt_async|command|shell|summarize)$/;
const REPLIES = /^\/(?:permission|question)\/([^/]+)\/(reply|reject)$/;

const MOST_WANTS = 1_000;
/** The letters at the end of an id that are not its time. */
const RANDOM_LETTERS = 14;

/** Plays a recording of OpenCode. The state of the server is made of all events; the translator hears of those that arrive. */
export class OpenCodeReplay extends Replay {
  readonly server = new RecordedServer();
  translator: Translator | undefined;
  /** Questions to the server that are not answered yet. */
  readonly wants: Want[] = [];
  #id = "";
  private readonly unsettled = new Set<string>();
  private prompts = 0;
  /** The newest message. */
  private latest = "";

  /** Whether an event arrives. */
  arrives(_event: Fields): boolean {
    return true;
  }

  /** Whether questions are answered as soon as they are asked. */
  isPrompt(): boolean {
    return true;
  }

  read(text: string): void {
    const event = jsonIn(text);
    if (!isFields(event)) return;
    this.happened(event);
    if (this.arrives(event)) this.hear(event);
    if (this.isPrompt()) this.answerWants();
  }

  /** Something happened in the program, whether or not its event arrives. */
  private happened(event: Fields): void {
    this.server.apply(event);
    const info = fieldsIn(fieldsIn(event, "properties"), "info");
    const id = textIn(info, "id") ?? "";
    if (event.type === "session.created" && !this.translator) this.open(id);
    if (id.startsWith("msg_") && info.sessionID === this.#id && id > this.latest) this.latest = id;
  }

  private open(session: string): void {
    this.#id = session;
    this.translator = new Translator({ root: session, directory: "/lab/work" });
  }

  /** A prompt that the program never began to work on has no message. */
  private prompt(line: Fields, verb: string): void {
    // A person prompts when the turn before is over, or on purpose while it runs: the adapter asks every two seconds.
    if (!this.server.status(this.#id)) this.ask();
    const body = fieldsIn(line, "body");
    const message = textIn(line, "message") ?? `${this.latest}0`;
    const text = textIn(body, "command") ?? textIn(listIn(body, "parts")[0] ?? {}, "text") ?? "";
    const id = `msg_${++this.prompts}`;
    if (verb === "summarize") {
      this.root.command({ type: "prompt", prompt: { id, parts: [], task: { type: "compact" } } });
      return this.perform(this.translator?.begin(`${message.slice(0, -RANDOM_LETTERS)}0`));
    }
    const prompt = { id, parts: [{ type: "text" as const, text }] };
    this.root.command({ type: this.root.state.turn ? "steer" : "prompt", prompt });
    this.perform(this.translator?.prompt(message));
  }

  hear(event: Fields): void {
    this.perform(this.translator?.event(event));
    for (const session of this.unsettled) this.wants.push({ type: "check", session });
  }

  /** The stream broke and was opened again: the state of the server is looked at. */
  reconnect(): void {
    this.translator?.gap();
    this.wantAll();
    if (this.isPrompt()) this.answerWants();
  }

  /** Nothing came for a while: the state of the server is looked at. A turn that it never began is given up. */
  private ask(): void {
    this.wantAll();
    this.answerWants();
    if (this.unsettled.delete(this.#id)) this.perform(this.translator?.fail("agent_failed", "it was not begun"));
  }

  private wantAll(): void {
    for (const session of this.translator?.branches.keys() ?? []) this.wants.push({ type: "check", session });
  }

  answerWants(): void {
    for (let count = 0; this.wants.length > 0; count++) {
      if (count > MOST_WANTS) throw new Error(`no end of questions: ${JSON.stringify(this.wants[0])}`);
      const want = this.wants.shift();
      if (want) this.answer(want);
    }
  }

  private perform(reading: Reading | undefined): void {
    for (const { signal, child } of reading?.said ?? []) this.say(signal, child);
    this.wants.push(...(reading?.wants ?? []));
  }

  private answer(want: Want): void {
    const { translator, server } = this;
    if (!translator) return;
    if (want.type === "session") return this.perform(translator.found(want.session, server.session(want.session)));
    if (want.type === "message") {
      const kept = server.message(want.session, want.message);
      return this.perform(translator.fetched(want.session, want.message, kept));
    }
    this.check(translator, want.session);
  }

  /** As the adapter does it when it asks the server. */
  private check(translator: Translator, session: string): void {
    const { server } = this;
    this.unsettled.delete(session);
    const status = server.status(session);
    const { floor = "", turn } = translator.branches.get(session) ?? {};
    const since = status ? translator.toldUntil(session) : floor;
    const messages = server.messages(session).filter(({ info }) => String(info.id) > since);
    const [first] = messages;
    if (!turn && first && session === this.#id) this.perform(translator.begin(String(first.info.id)));
    this.perform(translator.learn(session, messages));
    if (status) {
      this.perform(translator.learnStatus(session, status));
      return this.learnAsks(translator);
    }
    if (!translator.branches.get(session)?.turn) return;
    for (const child of translator.branches.values())
      if (child.parent === session && child.turn) this.check(translator, child.id);
    if (translator.isSettled(session)) this.perform(translator.settle(session));
    else this.unsettled.add(session);
  }

  private learnAsks(translator: Translator): void {
    for (const kind of ["permission", "question"] as const) {
      const known = new Set(translator.asks.keys());
      this.perform(translator.learnAsks(kind, this.server.asks(kind), known));
    }
  }

  protected wrote(line: Fields): void {
    const path = textIn(line, "path")?.split("?", 1)[0] ?? "";
    const body = fieldsIn(line, "body");
    if (line.method !== "POST" || Number(line.status) >= 300) return;
    if (path === "/session") this.open(textIn(fieldsIn(line, "answer"), "id") ?? "");
    else if (PROMPTS.test(path)) this.prompt(line, PROMPTS.exec(path)?.[1] ?? "");
    else if (path.endsWith("/abort")) this.root.command({ type: "cancel", queue: "keep" });
    else {
      const [, ask, verb] = REPLIES.exec(path) ?? [];
      if (ask !== undefined) this.reply(ask, verb === "reject" ? { rejected: true } : body);
    }
  }

  private reply(key: string, body: Fields): void {
    const answer = answerOf(body);
    const isLastWord = answer.outcome === "rejected" || (answer.outcome === "reject" && answer.feedback === undefined);
    this.translator?.answered(key, isLastWord);
    for (const world of this.worlds()) {
      const ask = world.state.turn?.asks.get(key);
      if (ask) world.command({ type: "answer", ask: ask.id, answer, by: "test" });
    }
  }

  /** Requests that still wait for the server are answered before the end. */
  override end(): this {
    this.answerWants();
    for (const session of [...this.unsettled]) this.wants.push({ type: "check", session });
    this.answerWants();
    return super.end();
  }
}

function answerOf(body: Fields): Answer {
  if (body.rejected === true) return { kind: "question", outcome: "rejected" };
  if (Array.isArray(body.answers))
    return { kind: "question", outcome: "answered", answers: body.answers as string[][] };
  const outcome = body.reply === "reject" ? "reject" : body.reply === "always" ? "always" : "once";
  const feedback = textIn(body, "message");
  return { kind: "permission", outcome, ...(feedback === undefined ? {} : { feedback }) };
}
