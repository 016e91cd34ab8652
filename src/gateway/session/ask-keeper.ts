import type { Answer } from "../../core/ledger/signals.ts";
import type { Attachments } from "../attachments.ts";
import type { Unattended } from "../options.ts";
import { refusal, verdict } from "../unattended.ts";
import type { SessionParts } from "./parts.ts";

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

  private consider(ask: string, kind: "permission" | "question"): void {
    const decided = verdict(kind, this.watched(), this.options.policy, this.options.deadlineMs);
    if (decided === "leave") return;
    if ("answer" in decided) this.answer(ask, decided.answer, decided.by);
    else this.open.set(ask, { kind, timer: setTimeout(() => this.expire(ask, kind), decided.waitMs).unref() });
  }

  /** The deadline is over. A client that watches by now may take its time, until it leaves. */
  private expire(ask: string, kind: "permission" | "question"): void {
    this.open.set(ask, { kind });
    if (this.watched()) return;
    this.answer(ask, refusal(kind, "nobody came to answer in time"), "deadline");
  }

  /** Sends the answer. It must be stored, because no client is there to repeat it. */
  private answer(ask: string, answer: Answer, by: string): void {
    const { inbox, logger } = this.options;
    const answered = inbox.send({ type: "answer", ask, answer, by, own: true }, { must: true });
    logger.quietly(answered, "an ask could not be answered");
  }
}
