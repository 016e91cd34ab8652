import type { Answer } from "../../core/ledger/signals.ts";
import type { Attachments } from "../attachments.ts";
import type { Unattended } from "../options.ts";
import { refusal, verdict } from "../unattended.ts";

export interface AskKeeperOptions {
  session: string;
  root: string | undefined;
  attachments: Attachments;
  policy: Unattended;
  deadlineMs: number;
  answer(ask: string, answer: Answer, by: string): void;
}

/** Sees to it that no ask of a session waits for ever with nobody there. */
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
    if ("answer" in decided) this.options.answer(ask, decided.answer, decided.by);
    else this.open.set(ask, { kind, timer: setTimeout(() => this.expire(ask, kind), decided.waitMs).unref() });
  }

  /** A client that came in the meantime has all the time it wants, until it leaves. */
  private expire(ask: string, kind: "permission" | "question"): void {
    this.open.set(ask, { kind });
    if (this.watched()) return;
    this.options.answer(ask, refusal(kind, "nobody came to answer in time"), "deadline");
  }
}
