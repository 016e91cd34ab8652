import type { Outcome, Receipt } from "../core/receipt.ts";
import { checkOptions, type OptionNames } from "./check-options.ts";
import type { EventStream } from "./closable.ts";
import { EVENTS_OPTIONS, type EventsOptions, type Feed, openEvents } from "./event-stream.ts";
import { readPage } from "./pages.ts";
import type { EventPage, EventPageBack, StreamEvent } from "./stream-types.ts";
import type { Transport } from "./transport.ts";
import { followTurn, RUN_OPTIONS, type RunOptions, type TurnRun } from "./turn-run.ts";
import type {
  Answered,
  AskAnswer,
  Cancelled,
  CommandInput,
  FileDiff,
  ListedAsk,
  PromptInput,
  SessionChange,
  SessionDetail,
  SlashCommand,
} from "./types.ts";

export interface PromptOptions {
  signal?: AbortSignal;
}

/** Agents may take two minutes to start, and the server says what is wrong with one that does not. */
const START_MS = 180_000;

const PROMPT_OPTIONS: OptionNames<PromptOptions & { wait?: boolean }> = { wait: true, signal: true };

const COMMAND_OPTIONS: OptionNames<CommandInput & { signal?: AbortSignal }> = {
  id: true,
  parts: true,
  model: true,
  mode: true,
  options: true,
  attended: true,
  signal: true,
};

/** One session of the server. Making a handle sends nothing. */
export class SessionHandle {
  readonly id: string;
  readonly #transport: Transport;
  readonly #newId: () => string;

  constructor(id: string, transport: Transport, newId: () => string) {
    this.id = id;
    this.#transport = transport;
    this.#newId = newId;
  }

  get(): Promise<SessionDetail> {
    return this.#transport.json({ method: "GET", path: this.#path(), repeatable: true });
  }

  /** Renames the session, or chooses a model or mode for its next turn. */
  update(change: SessionChange): Promise<SessionDetail> {
    return this.#transport.json({ method: "PATCH", path: this.#path(), body: change });
  }

  /** Starts the agent ahead of a prompt, and resolves with true when it is ready; with false where it waits for a prompt that asks first whether the project is trusted. */
  async start({ signal }: { signal?: AbortSignal } = {}): Promise<boolean> {
    const call = {
      method: "POST",
      path: this.#path("start"),
      patienceMs: START_MS,
      ...(signal && { signal }),
    } as const;
    return (await this.#transport.json<{ ready: boolean }>(call)).ready;
  }

  /** Stops what runs in the session and forgets it. */
  delete(): Promise<void> {
    return this.#transport.json({ method: "DELETE", path: this.#path() });
  }

  /**
   * Gives the agent a prompt. The receipt means that it is stored, whatever happens next. A prompt always has an id, so that
   * it is sent again when the response got lost and still is one prompt. With `wait` the turn's outcome is awaited too.
   */
  prompt(input: string | PromptInput, options?: PromptOptions & { wait?: false }): Promise<Receipt>;
  prompt(input: string | PromptInput, options: PromptOptions & { wait: true }): Promise<Outcome>;
  prompt(input: string | PromptInput, options: PromptOptions & { wait?: boolean } = {}): Promise<Receipt | Outcome> {
    checkOptions("prompt", options, PROMPT_OPTIONS);
    const { wait, signal } = options;
    return wait ? this.run(input, { signal }).outcome() : this.#send("prompts", this.#named(input), signal);
  }

  /**
   * Gives the agent a prompt and follows its turn: yields the events of the turn and returns its outcome. The prompt is sent
   * at once, also if nobody reads the events.
   */
  run(input: string | PromptInput, options: RunOptions = {}): TurnRun {
    checkOptions("run", options, RUN_OPTIONS);
    const sent = this.#send("prompts", this.#named(input), options.signal);
    return followTurn(this.#transport, this.id, sent, options);
  }

  /** Follows the turn of a prompt that was given before, from its beginning. */
  turn(receipt: Receipt, options: RunOptions = {}): TurnRun {
    checkOptions("turn", options, RUN_OPTIONS);
    return followTurn(this.#transport, this.id, Promise.resolve(receipt), options);
  }

  /** Runs a command in the session's directory as a turn of its own; the agent is told of it with its next prompt. */
  shell(command: string, options: { id?: string; signal?: AbortSignal } = {}): Promise<Receipt> {
    checkOptions("shell", options, { id: true, signal: true });
    return this.#send("shell", { id: options.id ?? this.#newId(), command }, options.signal);
  }

  /** Has the agent shorten the conversation, as a turn: it goes on from a summary. */
  compact(options: { id?: string; signal?: AbortSignal } = {}): Promise<Receipt> {
    checkOptions("compact", options, { id: true, signal: true });
    return this.#send("compact", { id: options.id ?? this.#newId() }, options.signal);
  }

  /** The slash commands of the session: its agent's, its project's and Parley's own. */
  async commands(): Promise<SlashCommand[]> {
    const path = this.#path("commands");
    return (await this.#transport.json<{ commands: SlashCommand[] }>({ method: "GET", path, repeatable: true }))
      .commands;
  }

  /** Gives the agent what a slash command stands for. `words` are those after its name. */
  command(name: string, words = "", options: CommandInput & { signal?: AbortSignal } = {}): Promise<Receipt> {
    checkOptions("command", options, COMMAND_OPTIONS);
    const { signal, ...input } = options;
    const body = { ...input, id: input.id ?? this.#newId(), command: name, arguments: words };
    return this.#send("commands", body, signal);
  }

  /** The files that a turn, or the whole session, has changed. */
  async diff(query: { turn?: string } = {}): Promise<FileDiff[]> {
    checkOptions("diff", query, { turn: true });
    const path = this.#path("diff");
    return (await this.#transport.json<{ files: FileDiff[] }>({ method: "GET", path, query, repeatable: true })).files;
  }

  /** Takes back a turn and all after it, files too. The next prompt makes it final. */
  revert(turn: string): Promise<SessionDetail> {
    return this.#transport.json({ method: "POST", path: this.#path("revert"), body: { turn } });
  }

  /** Does the turns again that were taken back, as long as no prompt has come since. */
  unrevert(): Promise<SessionDetail> {
    return this.#transport.json({ method: "DELETE", path: this.#path("revert") });
  }

  /** A new session with the events of this one: all of them, or those before a message. */
  fork(options: { before?: string } = {}): Promise<SessionDetail> {
    return this.#transport.json({ method: "POST", path: this.#path("fork"), body: options });
  }

  /** Takes back a prompt that waits. */
  withdraw(prompt: string | Receipt): Promise<void> {
    const id = typeof prompt === "string" ? prompt : prompt.prompt;
    return this.#transport.json({ method: "DELETE", path: this.#path("prompts", id) });
  }

  /** Stops the turn, or with `turn` that one alone, and drops the prompts that wait unless they are to be kept. Resolves when the agent is quiet. */
  cancel(options: { queue?: "clear" | "keep"; turn?: string } = {}): Promise<Cancelled> {
    return this.#transport.json({ method: "POST", path: this.#path("cancel"), body: options });
  }

  /** The open asks here and in the sessions of its sub-agents. */
  async asks(): Promise<ListedAsk[]> {
    const path = this.#path("asks");
    return (await this.#transport.json<{ asks: ListedAsk[] }>({ method: "GET", path, repeatable: true })).asks;
  }

  /** The first answer wins: a later one fails with `already_answered` and the winning one as `problem.resolution`. */
  answer(ask: string | { id: string }, answer: AskAnswer): Promise<Answered> {
    const id = typeof ask === "string" ? ask : ask.id;
    const body = typeof answer === "string" ? { outcome: answer } : answer;
    return this.#transport.json({ method: "POST", path: this.#path("asks", id), body });
  }

  page(query: { after?: string | number; limit?: number; native?: boolean } = {}): Promise<EventPage> {
    checkOptions("page", query, { after: true, limit: true, native: true });
    return readPage(this.#transport, { ...query, session: this.id });
  }

  /** The newest events before a number or an event's id, in their order; the session's newest ones unless told. */
  pageBack(query: { before?: string | number; limit?: number; native?: boolean } = {}): Promise<EventPageBack> {
    checkOptions("pageBack", query, { before: true, limit: true, native: true });
    const { before = "latest", ...rest } = query;
    const path = this.#path("events");
    return this.#transport.json({ method: "GET", path, query: { before, ...rest }, repeatable: true });
  }

  /**
   * The session's events, each once and in order, from the first one or from a cursor on; reconnects by itself. Ends when the
   * session is deleted, and fails only where trying again cannot help.
   */
  events(options: EventsOptions = {}): EventStream<StreamEvent> {
    checkOptions("events", options, EVENTS_OPTIONS);
    return openEvents(this.#transport, { ...options, session: this.id, after: options.after ?? 0 });
  }

  /**
   * Calls `take` for each event, in order, and for the next one when it is done. Where the server is in this process, `takePiece` gets a
   * delta that comes alone within the call that stored it. Resolves where `events` would end.
   */
  async hear(
    options: EventsOptions,
    take: (event: StreamEvent) => Promise<void>,
    takePiece: (piece: StreamEvent) => Promise<void> | undefined = take,
  ): Promise<void> {
    checkOptions("hear", options, EVENTS_OPTIONS);
    let failed: { error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failed ??= { error };
      void events.return();
    };
    const taken = (piece: StreamEvent): Promise<void> | undefined => {
      try {
        const done: unknown = takePiece(piece);
        return done instanceof Promise ? done.catch(fail) : undefined;
      } catch (error) {
        fail(error);
        return undefined;
      }
    };
    const feed: Feed = { ...options, session: this.id, after: options.after ?? 0, takePiece: taken };
    const events = openEvents(this.#transport, feed);
    for await (const event of events) await take(event);
    if (failed) throw failed.error;
  }

  #path(...rest: string[]): string[] {
    return ["v1", "sessions", this.id, ...rest];
  }

  #named(input: string | PromptInput): PromptInput & { id: string } {
    const prompt = typeof input === "string" ? { text: input } : input;
    return { ...prompt, id: prompt.id ?? this.#newId() };
  }

  /** A request with an id may be sent again: it takes effect once. */
  #send(last: string, body: object, signal: AbortSignal | undefined): Promise<Receipt> {
    return this.#transport.json({ method: "POST", path: this.#path(last), body, signal, repeatable: true });
  }
}
