import type { AgentSession } from "../../agents/contract.ts";
import { messageOf } from "../../core/errors.ts";
import { within } from "../../core/within.ts";
import type { Inbox } from "../session/inbox.ts";
import type { LedgerView } from "../session/ledger-view.ts";
import type { AgentLink } from "./agent-link.ts";

const REWIND_MS = 30_000;

export interface RewindOptions {
  inbox: Inbox;
  ledger: LedgerView;
  link: Pick<AgentLink, "runs" | "kill">;
}

/** Has an agent with a memory of its own drop the turns that were cut, before it gets another prompt. */
export class NativeRewind {
  private readonly options: RewindOptions;
  /** False when the agent may have dropped the turns or not: after a restart, and after an exit while it was asked. */
  private certain: boolean;
  /** The native id of the memory in doubt, once the agent was started without it. */
  private left: { nativeId: string | undefined } | undefined;

  constructor(options: RewindOptions) {
    this.options = options;
    this.certain = this.turns.length === 0;
  }

  /** Says whether the agent must be started without its memory, because nobody knows what is in it. */
  async mustForget(): Promise<boolean> {
    if (this.left && this.left.nativeId !== this.options.ledger.state.facts.nativeId) await this.done();
    return !this.certain;
  }

  /** The agent has been started without its memory. The turns count as dropped when its new memory has a native id. */
  forgot(): void {
    this.left ??= { nativeId: this.options.ledger.state.facts.nativeId };
  }

  /** Rejects when the agent still remembers the turns, or may do so. */
  async before(agent: AgentSession, generation: number): Promise<void> {
    if (this.turns.length === 0) return;
    this.certain = false;
    try {
      await this.ask(agent);
    } catch (error) {
      this.certain = this.options.link.runs(generation);
      const what = "the agent could not drop the turns that were taken back, so it was not given the prompt";
      throw new Error(`${what}: ${messageOf(error)}`);
    }
    await this.done();
  }

  private async ask(agent: AgentSession): Promise<void> {
    if (!agent.rewind) throw new Error("it has no way to do that");
    if (await within(agent.rewind(this.turns), REWIND_MS)) return;
    await this.options.link.kill(0);
    throw new Error(`it did not answer within ${REWIND_MS} ms`);
  }

  private async done(): Promise<void> {
    await this.options.inbox.send({ type: "update", facts: { toRewind: [] } }, { must: true });
    this.certain = true;
    this.left = undefined;
  }

  private get turns(): readonly string[][] {
    return this.options.ledger.state.facts.toRewind ?? [];
  }
}
