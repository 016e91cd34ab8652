import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { type Fields, textIn } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import type { Exit } from "../../host/contract.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Outbox } from "../outbox.ts";
import type { Said } from "../program/read-lines.ts";
import { Api, ApiRefusal } from "./api.ts";
import { clearAsks, replyTo } from "./asks.ts";
import { Translator } from "./decode/translator.ts";
import { Follower } from "./follow/follower.ts";
import type { Hubs } from "./follow/hubs.ts";
import { MessageIds } from "./message-id.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { commandBody, commandIn, modelRef, promptBody } from "./prompt-body.ts";
import type { Lease, Servers } from "./serve/contract.ts";

const STREAM_MS = 10_000;
const GIVE_MS = 60_000;
const ABORT_MS = 10_000;
const LEAVE_MS = 1_500;
/** Longer lines are not kept with the events that they caused. */
const LONGEST_LINE = 256 * 1024;

export interface SessionOptions {
  servers: Servers;
  hubs: Hubs;
}

/** What is there once the session is open. */
interface Running {
  readonly id: string;
  readonly lease: Lease;
  readonly api: Api;
  readonly translator: Translator;
  readonly follower: Follower;
}

/** One of the program's sessions, on a server that it shares with others. */
export class OpenCodeSession implements AgentSession {
  readonly #options: SessionOptions;
  readonly #open: OpenOptions;
  readonly #outbox: Outbox;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ids = new MessageIds();
  readonly #closing = new AbortController();
  #choice: AgentChoice;
  #running: Running | undefined;
  #commands: Promise<ReadonlySet<string>> | undefined;
  #gone = false;

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#options = options;
    this.#open = open;
    this.#outbox = new Outbox(open.emit);
    const { model, mode, options: chosen } = open;
    this.#choice = { ...(model ? { model } : {}), ...(mode ? { mode } : {}), ...(chosen ? { options: chosen } : {}) };
    this.#ready.promise.catch(() => {});
    void this.#start().catch((thrown: unknown) => this.#fail(thrown));
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async prompt(prompt: Prompt): Promise<void> {
    await this.#give(prompt);
  }

  async steer(prompt: Prompt): Promise<void> {
    await this.#give(prompt);
  }

  async compact(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { follower, api, id } = running;
    const model = modelRef(this.#choice.model ?? (await this.#usualModel(running)) ?? "");
    follower.begin(this.#ids.next(this.#floor(running)));
    if (!model)
      return follower.fail("agent_failed", "OpenCode does not say which model is to shorten the conversation");
    const body = { ...model, auto: false };
    this.#inBackground(running, api.ask("POST", `/session/${id}/summarize`, this.#long(body)));
  }

  async cancel(): Promise<void> {
    const running = this.#running;
    if (running) await this.#abort(running, ABORT_MS);
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { kind, isLastWord, body, verb } = replyTo(answer);
    running.translator.answered(ask, isLastWord);
    await this.#reply(running.api, `/${kind}/${encodeURIComponent(ask)}/${verb}`, body);
    if (isLastWord) void running.follower.check(running.id);
  }

  async set(choice: AgentChoice): Promise<void> {
    const { mode, model } = choice;
    if (this.#gone) return;
    if (model !== undefined && !modelRef(model))
      throw new Error(`expected a model such as provider/name, got ${model}`);
    if (mode !== undefined && mode !== this.#choice.mode && this.#running?.follower.isBusy)
      throw new Error("OpenCode cannot change its mode in the middle of a turn: wait for its end, or stop it");
    const options = { ...this.#choice.options, ...choice.options };
    this.#choice = { ...this.#choice, ...choice, options };
  }

  async close(): Promise<void> {
    await this.#leave(LEAVE_MS);
  }

  async kill(graceMs: number): Promise<void> {
    await this.#leave(Math.max(graceMs, LEAVE_MS));
  }

  pause(): void {
    this.#outbox.pause();
    if (this.#outbox.paused) this.#running?.follower.pause();
  }

  resume(): void {
    this.#outbox.resume();
    if (!this.#outbox.paused) this.#running?.follower.resume();
  }

  async #start(): Promise<void> {
    const { servers, hubs } = this.#options;
    const { directory, trusted, mcpServers, session } = this.#open;
    const need = { directory, trusted, session, ...(mcpServers?.length ? { mcpServers } : {}) };
    const lease = await servers.lease(need);
    if (this.#gone) return lease.release();
    const { server } = lease;
    void server.gone.then((exit) => this.#end(exit));
    const opened = await openSession(new Api(server, directory), this.#open).catch((thrown: unknown) => {
      lease.release();
      throw thrown;
    });
    if (this.#gone) return lease.release();
    const { id, floor } = opened;
    const hub = hubs.of(server, directory);
    const translator = new Translator({ root: id, directory, floor });
    const say = (said: readonly Said[], native?: string): void => this.#say(said, native);
    const onUnreachable = (): void => this.#unreachable(server.url);
    const follower = new Follower({ hub, translator, session: id, say, onUnreachable });
    if (this.#outbox.paused) follower.pause();
    this.#running = { id, lease, api: hub.api, translator, follower };
    this.#tellOpened(opened);
    await clearAsks(hub.api, [id]);
    await within(hub.ready(), STREAM_MS);
    this.#ready.resolve();
  }

  #tellOpened({ id, resumed, past }: OpenedSession): void {
    const { resume } = this.#open;
    const again = resumed && resume === id ? ({ resume: "resumed" } as const) : {};
    this.#outbox.emit({ type: "session", nativeId: id, ...again });
    for (const signal of past) this.#outbox.emit(signal);
  }

  #fail(thrown: unknown): void {
    const { directory } = this.#open;
    const isTold = thrown instanceof SpawnFailed || thrown instanceof ResumeLost;
    const failure = isTold ? thrown : new SpawnFailed(messageOf(thrown), { argv: ["opencode", "serve"], directory });
    this.#ready.reject(failure);
    this.#end({ code: null, signal: null, stderr: [] });
  }

  #floor({ translator, id }: Running): string {
    return translator.latest(id);
  }

  /** Gives the program a prompt, or the command that the prompt calls. */
  async #give(prompt: Prompt): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { follower, api, id } = running;
    const { directory } = this.#open;
    const command = commandIn(prompt.parts);
    const isCommand = command !== undefined && (await this.#knownCommands(api)).has(command.name);
    const message = this.#ids.next(this.#floor(running));
    follower.prompt(message);
    if (isCommand) {
      const body = commandBody(command, prompt, message, this.#choice, directory);
      return this.#inBackground(running, api.ask("POST", `/session/${id}/command`, this.#long(body)));
    }
    const body = promptBody(prompt, message, this.#choice, directory);
    await this.#post(running, message, body);
  }

  /** Whether the program has a message is known only by its answer, or by a look at it. */
  async #post({ api, id, follower }: Running, message: string, body: Fields): Promise<void> {
    for (let tries = 0; !this.#gone; tries++) {
      try {
        await api.ask("POST", `/session/${id}/prompt_async`, { body, limitMs: GIVE_MS });
        return;
      } catch (thrown) {
        const isThere = await api.ask("GET", `/session/${id}/message/${message}`).then(
          () => true,
          () => false,
        );
        if (isThere) return follower.recover();
        if (thrown instanceof ApiRefusal || tries > 0) return this.#refuse(follower, thrown);
      }
    }
  }

  #refuse(follower: Follower, thrown: unknown): void {
    if (!this.#gone) follower.fail("agent_failed", `OpenCode does not begin the turn: ${messageOf(thrown)}`);
  }

  /** A request that is answered only at the end of the turn. Its failure ends a turn that never began; the rest is told by events. */
  #inBackground({ follower, id }: Running, asked: Promise<unknown>): void {
    asked.then(
      () => void follower.check(id),
      (thrown: unknown) => {
        if (thrown instanceof ApiRefusal) this.#refuse(follower, thrown);
        else if (!this.#gone) follower.recover();
      },
    );
  }

  #long(body: Fields): { body: Fields; limitMs: number; signal: AbortSignal } {
    return { body, limitMs: 0, signal: this.#closing.signal };
  }

  #knownCommands(api: Api): Promise<ReadonlySet<string>> {
    this.#commands ??= api
      .list("GET", "/command")
      .then((commands) => new Set(commands.flatMap((one) => textIn(one, "name") ?? [])))
      .catch(() => new Set<string>());
    return this.#commands;
  }

  /** The model of the session's last turn. */
  async #usualModel({ api, id }: Running): Promise<string | undefined> {
    const { model } = await api.fields("GET", `/session/${id}`).catch((): Fields => ({}));
    const { providerID, id: name } = (model ?? {}) as Fields;
    return typeof providerID === "string" && typeof name === "string" ? `${providerID}/${name}` : undefined;
  }

  /** Stops the turn. Asks that the program forgets to take back are taken back. */
  async #abort({ api, id, translator, follower }: Running, limitMs: number): Promise<void> {
    await api.ask("POST", `/session/${id}/abort`, { limitMs }).catch(() => {});
    await clearAsks(api, [...translator.branches.keys()]);
    void follower.check(id);
  }

  async #reply(api: Api, path: string, body: Fields): Promise<void> {
    for (let tries = 0; tries < 3 && !this.#gone; tries++) {
      try {
        await api.ask("POST", path, { body });
        return;
      } catch (thrown) {
        // It no longer waits for this answer.
        if (thrown instanceof ApiRefusal) return;
      }
    }
  }

  #say(said: readonly Said[], native: string | undefined): void {
    const line = native !== undefined && native.length <= LONGEST_LINE ? native : undefined;
    for (const { signal, child } of said) this.#outbox.emit(signal, line, child);
  }

  #unreachable(url: string): void {
    this.#end({ code: null, signal: null, stderr: [`no answer came from ${url}`] });
  }

  /** Lets the session go. A program that does not stop its work is ended. */
  async #leave(limitMs: number): Promise<void> {
    const running = this.#running;
    if (this.#gone) return;
    if (running?.follower.isBusy) {
      await this.#abort(running, limitMs);
      const isIdle = await within(running.follower.idle(), limitMs);
      if (!isIdle && running.lease.server.own) await running.lease.server.kill(0);
    }
    this.#end({ code: 0, signal: null, stderr: [] });
  }

  #end(exit: Exit): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#closing.abort();
    this.#running?.follower.close();
    this.#running?.lease.release();
    this.#ready.reject(new Error("the session was closed before it was open"));
    this.#outbox.release();
    this.#outbox.end(exit);
  }
}
