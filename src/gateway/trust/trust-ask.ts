import { messageOf } from "../../core/errors.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { shownSettings } from "../../core/trust.ts";
import type { Attachments } from "../attachments.ts";
import type { Inbox } from "../session/inbox.ts";
import type { TurnWaits } from "../session/turn-waits.ts";
import type { Trust } from "./contract.ts";
import { type Looks, lookThrough } from "./left-out.ts";

/** The key of the ask, in place of an agent's own. */
const ASK = "parley:trust";
/** A client that watches and does not answer holds up its turn for so long at most. */
const PATIENCE_MS = 5 * 60_000;

const TRUST = "Trust this project";
const LEAVE_OUT = { label: "Leave them out", description: "the agent starts without them" };
/** Some agents read the project's settings whatever they are told. */
const NO_START = { label: "Do not start the agent", description: "without trust it is not started in this directory" };

export interface TrustAskOptions {
  session: string;
  directory: string;
  trust: Trust;
  attachments: Attachments;
  patienceMs?: number;
  inbox: Pick<Inbox, "signal">;
  waits: Pick<TurnWaits, "ended">;
}

/** Asks a client that can answer, in the session, before an agent starts in a directory that is not trusted. */
export class TrustAsk {
  private readonly options: TrustAskOptions;
  private asked = "";
  private settle: ((trusted: boolean) => void) | undefined;

  constructor(options: TrustAskOptions) {
    this.options = options;
  }

  /** Resolves when the agent may start. Only a clear yes changes anything; the same settings are not asked about twice. */
  async before(turn: string, agent: Looks): Promise<void> {
    const { directory, trust } = this.options;
    if (trust.covering(directory) !== undefined) return;
    if (!this.watched) await this.options.attachments.look()?.catch(() => {});
    if (!this.watched) return;
    const settings = await lookThrough(agent);
    const shown = shownSettings(settings);
    if (settings.length === 0 || shown === this.asked) return;
    this.asked = shown;
    const without = settings.some(({ stopsAgent }) => stopsAgent) ? NO_START : LEAVE_OUT;
    if (!(await this.answer(turn, shown, without))) return;
    try {
      trust.add(directory);
    } catch (error) {
      const text = `The directory could not be trusted: ${messageOf(error)}`;
      this.options.inbox.signal({ type: "note", level: "warn", code: "trust_failed", text });
    }
  }

  /** Takes an answer, if it is for this ask; false otherwise. */
  take(ask: string, answer: Answer): boolean {
    if (ask !== ASK) return false;
    this.settle?.(answer.kind === "question" && answer.outcome === "answered" && answer.answers[0]?.[0] === TRUST);
    return true;
  }

  private get watched(): boolean {
    return this.options.attachments.watched(this.options.session, undefined);
  }

  private async answer(turn: string, shown: string, without: typeof LEAVE_OUT): Promise<boolean> {
    const { attachments, directory, inbox, waits, patienceMs = PATIENCE_MS } = this.options;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => {
      inbox.signal({ type: "ask.withdrawn", ask: ASK });
      resolve(false);
    };
    this.settle = resolve;
    const stopListening = attachments.onDetach(() => {
      if (!this.watched) giveUp();
    });
    // Not what keeps a server from ending whose log takes no writes.
    const timer = setTimeout(giveUp, patienceMs).unref();
    waits.ended(turn).then(() => resolve(false), giveUp);
    const question = `The project in ${directory} brings settings that can run programs as you: ${shown}. Trust it, now and later?`;
    const options = [without, { label: TRUST, description: "parley trust --remove takes it back" }];
    inbox.signal({
      type: "question",
      ask: ASK,
      kind: "trust",
      questions: [{ header: "Trust", question, options, multiple: false, custom: false }],
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      stopListening();
      this.settle = undefined;
    }
  }
}
