import type { Answer } from "../../core/ledger/signals.ts";
import type { Attachments } from "../attachments.ts";
import type { Unattended } from "../options.ts";
import { refusal, verdict } from "../unattended.ts";
import type { SessionParts } from "./parts.ts";

/** How long after a failed look at other nodes the next one follows. */
const LOOK_AGAIN_MS = 1_000;

interface AskKeeperOptions extends Pick<SessionParts, "inbox" | "logger"> {
  session: string;
  root: string | undefined;
  attachments: Attachments;
  policy: Unattended;
  deadlineMs: number;
}

/** Answers the asks of a session by the policy, or after the deadline, when no client watches. */
export class AskKeeper {
  private readonly options: AskKeeperOptions;
  private readonly open = new Map<string, { kind: "permission" | "question"; timer?: NodeJS.Timeout }>();
  private readonly stopListening: () => void;

  constructor(options: AskKeeperOptions) {
    this.options = options;
    this.stopListening = options.attachments.onDetach(() => this.reconsider());
  }

  asked(ask: string, kind: "permission" | "question"): void {
    this.open.set(ask, { kind });
    this.consider(ask, kind);
  }

  resolved(ask: string): void {
    clearTimeout(this.open.get(ask)?.timer);
    this.open.delete(ask);
  }

  close(): void {
    for (const ask of [...this.open.keys()]) this.resolved(ask);
    this.stopListening();
  }

  private reconsider(): void {
    for (const [ask, { kind, timer }] of this.open) if (!timer) this.consider(ask, kind);
  }

  private watched(): boolean {
    return this.options.attachments.watched(this.options.session, this.options.root);
  }

  /** An ask that seems to be watched by nobody is decided after a look at other nodes, where there are any. */
  private consider(ask: string, kind: "permission" | "question"): void {
    const looking = this.watched() ? undefined : this.options.attachments.look();
    if (!looking) return this.decide(ask, kind);
    const again = (): void => {
      if (!this.isUndecided(ask)) return;
      this.open.set(ask, { kind, timer: setTimeout(() => this.reconsiderOne(ask, kind), LOOK_AGAIN_MS).unref() });
    };
    looking.then(() => this.isUndecided(ask) && this.decide(ask, kind), again);
  }

  private isUndecided(ask: string): boolean {
    const open = this.open.get(ask);
    return open !== undefined && open.timer === undefined;
  }

  private reconsiderOne(ask: string, kind: "permission" | "question"): void {
    if (!this.open.has(ask)) return;
    this.open.set(ask, { kind });
    this.consider(ask, kind);
  }

  private decide(ask: string, kind: "permission" | "question"): void {
    const decided = verdict(kind, this.watched(), this.options.policy, this.options.deadlineMs);
    if (decided === "leave") return;
    if ("answer" in decided) this.answer(ask, decided.answer, decided.by);
    else this.open.set(ask, { kind, timer: setTimeout(() => this.expire(ask, kind), decided.waitMs).unref() });
  }

  /** The deadline is over. A client that watches by now may take its time, until it leaves. */
  private expire(ask: string, kind: "permission" | "question"): void {
    this.open.set(ask, { kind });
    const refuse = (): void => {
      if (this.open.has(ask) && !this.watched())
        this.answer(ask, refusal(kind, "nobody came to answer in time"), "deadline");
    };
    const looking = this.watched() ? undefined : this.options.attachments.look();
    if (looking) looking.then(refuse, () => this.reconsiderOne(ask, kind));
    else refuse();
  }

  /** Sends the answer. It must be stored, because no client is there to repeat it. */
  private answer(ask: string, answer: Answer, by: string): void {
    const { inbox, logger } = this.options;
    const answered = inbox.send({ type: "answer", ask, answer, by, own: true }, { must: true });
    logger.quietly(answered, "an ask could not be answered");
  }
}
