import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import { changesState, reduceSession, type SessionState } from "../../../core/session-state.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import type { Session, SessionStatus, Todo } from "../shapes/session.ts";
import { errorOf, turnError } from "./failures.ts";
import { countsOf } from "./file-diffs.ts";
import { KeptTurns, type Settled, type TurnsToKeep } from "./kept-turns.ts";
import { OpenAsks, type PendingAsks } from "./open-asks.ts";
import { Outbox, type Projected } from "./outbox.ts";
import { reduceAgain, rewound } from "./rewound.ts";
import { sessionOf, statusOf, todosOf } from "./session-shape.ts";
import { Transcript } from "./transcript.ts";
import { TurnView } from "./turn-view.ts";
import { UserMessages } from "./user-messages.ts";

export interface ViewOptions {
  /** OpenCode's id of the project that a directory belongs to. */
  projectOf?(directory: string): string;
  /** The state is that after this number: events up to it are taken in once more, as `rewound` says. */
  asOf?: number;
  /** Keeps the messages of the newest turn only, of those right before it, and those that wait. */
  keep?: TurnsToKeep;
  /** Only its messages and asks are wanted: it says nothing, and its state stays that of the beginning. */
  silent?: boolean;
  /** Parts that are done are kept as texts, for `texts`. */
  texts?: boolean;
}

/** The parts of a view, once the session's first event is known. */
interface Parts {
  out: Outbox;
  transcript: Transcript;
  users: UserMessages;
}

function partsFor(session: string, { silent, texts }: ViewOptions): Parts {
  const out = new Outbox(session, silent);
  const transcript = new Transcript(session, out, texts);
  return { out, transcript, users: new UserMessages(transcript) };
}

function sayIdle(out: Outbox, sessionID: string): void {
  out.say("session.status", { sessionID, status: { type: "idle" } });
  out.say("session.idle", { sessionID });
}

/**
 * One session as OpenCode's clients see it. It does no I/O: the same events give the same messages and the same words, and
 * a turn's events from its `turn.started` on give that turn's messages.
 */
export class SessionView {
  readonly #options: ViewOptions;
  readonly #asks = new OpenAsks();
  /** By turn, the messages that only a view names. */
  readonly #unnamed = new Map<string, readonly string[]>();
  #state: SessionState | undefined;
  #parts: Parts | undefined;
  #turn: TurnView | undefined;
  #compacting: number | undefined;
  #retrying = false;
  readonly #kept: KeptTurns;

  /** `state`: what is true of the session when the first event is applied; undefined when that is its `session.started`. */
  constructor(state: SessionState | undefined, options: ViewOptions = {}) {
    this.#options = options;
    this.#kept = new KeptTurns(options.keep ?? { turns: 0, withinMs: 0 });
    if (state) this.#begin(options.asOf === undefined ? state : rewound(state));
  }

  #begin(state: SessionState): Parts {
    this.#state = state;
    const parts = partsFor(state.id, this.#options);
    this.#parts = parts;
    parts.users.hold(state);
    if (state.turn?.status.status === "compacting") this.#compacting = state.updated;
    this.#retrying = state.turn?.status.status === "retrying";
    this.#asks.hold(state);
    return parts;
  }

  /** Takes in the next event and returns what clients must hear, in order. */
  apply(event: ParleyEvent): Projected[] {
    const first = this.#state === undefined;
    const parts = this.#parts ?? this.#begin(reduceSession(undefined, event));
    parts.out.begin(event.time, event.seq);
    if (!first && !parts.out.silent && changesState(event.type)) this.#state = this.#after(this.state, event);
    this.#project(event, parts, first);
    const said = parts.out.take();
    for (const { event: word } of said) this.#kept.hear(word);
    return said;
  }

  #after(state: SessionState, event: ParleyEvent): SessionState {
    return event.seq <= (this.#options.asOf ?? 0) ? reduceAgain(state, event) : reduceSession(state, event);
  }

  /** By time and id: what the view holds of the turns that it was fed, and the prompts that wait. */
  messages(): MessageWithParts[] {
    return this.#parts?.transcript.list() ?? [];
  }

  /** The same in other forms; undefined before the first event. */
  get transcript(): Pick<Transcript, "numbered" | "texts"> | undefined {
    return this.#parts?.transcript;
  }

  /** As `GET /session/:id` gives it. */
  session(): Session {
    const { projectOf } = this.#options;
    return sessionOf(this.state, { usage: this.#turn?.usage(), compacting: this.#compacting, projectOf });
  }

  status(): SessionStatus {
    return statusOf(this.state);
  }

  todos(): Todo[] {
    return todosOf(this.state.plan);
  }

  get directory(): string {
    return this.state.directory;
  }

  /** Nothing runs and nothing waits. */
  get resting(): boolean {
    return !this.state.turn && this.state.queue.length === 0;
  }

  /** The events that ended asks and messages in the turns that the view holds. */
  settled(): readonly Settled[] {
    return this.#kept.settled();
  }

  /** The last of it was that it is gone. */
  get deleted(): boolean {
    return this.state.ended?.reason === "deleted";
  }

  asks(): PendingAsks {
    return this.#asks.pending();
  }

  /** The universal state, as of the last event. */
  get state(): SessionState {
    if (!this.#state) throw new Error("expected the session's first event before anything is asked of its view");
    return this.#state;
  }

  #project(event: ParleyEvent, { out, transcript, users }: Parts, first: boolean): void {
    const { state } = this;
    const sessionID = state.id;
    switch (event.type) {
      case "session.started":
        return out.say(first ? "session.created" : "session.updated", { sessionID, info: this.session() });
      case "session.updated":
        this.#turn?.learn(event.data);
        this.#sayUpdated(out);
        // Queued prompts use the new model and mode. They come last: a view of a replay may not hold all that waited then,
        // and must give the other events the same ids.
        for (const prompt of state.queue) users.queue(prompt, event.time, state);
        return;
      case "session.ended":
        if (event.data.reason === "deleted") this.#leave(out);
        return;
      case "history.cut":
        // Events without a name in the log come last, so that a view that has not seen them gives the others the same ids.
        return transcript.takeBack([
          ...event.data.messages,
          ...event.data.turns.flatMap((turn) => this.#unnamed.get(turn) ?? []),
        ]);
      case "prompt.queued":
      case "prompt.withdrawn":
        if (event.type === "prompt.queued") users.queue(event.data.prompt, event.time, state);
        else transcript.takeBack([event.data.prompt]);
        // A turn says at its end when the session changed last.
        if (!state.turn) this.#sayUpdated(out);
        return;
      case "turn.started":
        return this.#startTurn(event, { out, transcript, users });
      case "turn.status":
        return this.#turnStatus(event, out);
      case "turn.ended":
        return this.#endTurn(event, out);
      case "step.started":
        return this.#turn?.stepStarted(event);
      case "step.ended":
        this.#turn?.stepEnded(event);
        if (event.data.usage) this.#sayUpdated(out);
        return;
      case "item.started":
        return this.#turn?.itemStarted(event);
      case "item.updated":
        return this.#turn?.itemUpdated(event);
      case "item.delta":
        return this.#turn?.itemDelta(event);
      case "item.completed":
        return this.#turn?.itemCompleted(event);
      case "permission.requested":
      case "question.requested":
        return this.#ask(event, out);
      case "permission.resolved":
      case "question.resolved":
        return this.#resolve(event, out);
      case "plan.updated":
        return out.say("todo.updated", { sessionID, todos: todosOf(event.data.entries) });
      case "error":
        // The error of a turn is said when the turn ends.
        if (!this.#turn) out.say("session.error", { sessionID, error: errorOf(event.data, state.agent) });
        return;
      // A note belongs to no turn, so no message can hold it; clients of OpenCode know nothing like the others.
      case "session.note":
      case "session.limits":
      case "usage.updated":
      case "agent.unparsed":
        return;
      default:
        event satisfies never;
    }
  }

  #startTurn(event: EventOf<"turn.started">, { out, transcript, users }: Parts): void {
    const { state } = this;
    const oldest = this.#kept.begin(event.time);
    if (this.#options.keep) {
      const { prompt, context = [] } = event.data;
      // The turn tells of it again, also where other turns are held: a replay must give the same events.
      for (const { id } of [...context, ...(prompt ? [prompt] : [])]) transcript.forget(id);
      const waiting = state.queue.map(({ id }) => id);
      transcript.nextTurn(oldest, waiting);
    }
    out.say("session.status", { sessionID: state.id, status: { type: "busy" } });
    // Clients add a session to their list when it is updated, not when it is created.
    this.#sayUpdated(out);
    this.#turn = new TurnView(event, { state, transcript, users, out });
    if (event.turn !== undefined) this.#unnamed.set(event.turn, this.#turn.unnamed);
  }

  /** A deletion forgets how its turn ended. A late reader of the log finds only the deletion, and clients must not go on waiting. */
  #leave(out: Outbox): void {
    const sessionID = this.state.id;
    out.say("session.deleted", { sessionID, info: this.session() });
    this.#asks.refuseAll(sessionID, out);
    if (this.#turn) sayIdle(out, sessionID);
  }

  #sayUpdated(out: Outbox): void {
    if (out.silent) return;
    out.say("session.updated", { sessionID: this.state.id, info: this.session() });
  }

  #turnStatus({ data, time }: EventOf<"turn.status">, out: Outbox): void {
    const sessionID = this.state.id;
    const compacting = data.status === "compacting" ? time : undefined;
    const compacted = this.#compacting !== undefined && compacting === undefined;
    const changed = this.#compacting !== compacting;
    this.#compacting = compacting;
    if (compacted) out.say("session.compacted", { sessionID });
    if (changed) this.#sayUpdated(out);
    const status = this.status();
    if (status.type === "retry" || this.#retrying) out.say("session.status", { sessionID, status });
    this.#retrying = status.type === "retry";
  }

  #ask(event: EventOf<"permission.requested"> | EventOf<"question.requested">, out: Outbox): void {
    const { id: sessionID, directory, parent } = this.state;
    if (event.data.settledBy !== undefined) return this.#asks.leaveUnsaid(event);
    // A client that fetched its list before the sub-agent began would show the ask of a session that it does not know nowhere.
    if (parent !== undefined) this.#sayUpdated(out);
    this.#asks.ask(event, { sessionID, directory, ...this.#turn?.asked(event.data.call, event.time) }, out);
  }

  #resolve(event: EventOf<"permission.resolved"> | EventOf<"question.resolved">, out: Outbox): void {
    const answered = this.#asks.answered(event);
    if (answered) this.#turn?.answered(answered.call, answered.answers);
    this.#asks.resolve(event, this.state.id, out);
  }

  /** The one end of a turn: all that is left to say of it, then idle, and nothing after that. */
  #endTurn(event: EventOf<"turn.ended">, out: Outbox): void {
    const { id: sessionID, agent, directory, files = [] } = this.state;
    const error = turnError(event.data, agent);
    const turn = this.#turn;
    turn?.end(event, error);
    if (event.turn !== undefined && turn?.unnamed.length === 0) this.#unnamed.delete(event.turn);
    this.#turn = undefined;
    this.#kept.end(event.time);
    this.#compacting = undefined;
    this.#retrying = false;
    if (out.silent) return;
    if (error) out.say("session.error", { sessionID, error });
    this.#sayUpdated(out);
    out.say("session.diff", { sessionID, diff: countsOf(files, directory) });
    sayIdle(out, sessionID);
  }
}
