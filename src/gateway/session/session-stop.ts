import { ParleyError } from "../../core/errors.ts";
import { isStorageRefusal } from "../../core/storage-refusal.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { SessionParts } from "./parts.ts";

type StopOptions = SessionParts & { agent: ServingAgent };

export interface CancelRequest {
  queue: "clear" | "keep";
  /** Only this turn. */
  turn?: string;
}

/** Stops a session's turn or takes a prompt back, also while the log takes no writes: this is stored when it takes them again. */
export class SessionStop {
  private readonly options: StopOptions;
  /** The turn that was stopped while the log took no writes. Its cancel or failure waits in the inbox. */
  private told = "";
  /** Prompts that were taken back while the log took no writes. */
  private readonly taken = new Set<string>();

  constructor(options: StopOptions) {
    this.options = options;
  }

  /** Stops the turn and answers when it is over, or with the log's refusal when the agent or command has been stopped. */
  async cancel(request: CancelRequest): Promise<string | undefined> {
    try {
      return await this.cancelStored(request);
    } catch (error) {
      const { turn } = this.options.ledger.state;
      const meant = turn && (request.turn === undefined || request.turn === turn.id);
      if (!meant || !isStorageRefusal(error)) throw error;
      throw await this.cancelUnstored(request, error);
    }
  }

  private async cancelStored(request: CancelRequest): Promise<string | undefined> {
    const { inbox, ledger, waits } = this.options;
    const { said } = await inbox.send({ type: "cancel", ...request });
    // When the actor took the command out, the open turn may have ended by itself, and another begun.
    const { turn: open } = ledger.state;
    const turn = said.find((draft) => draft.type === "turn.ended")?.turn ?? (open?.cancelled ? open.id : undefined);
    if (turn) await inbox.unlessRefused(waits.ended(turn));
    return turn;
  }

  private async cancelUnstored({ queue }: CancelRequest, refusal: ParleyError): Promise<ParleyError> {
    const { inbox, ledger, agent, logger } = this.options;
    const { turn } = ledger.state;
    if (!turn) return refusal;
    if (!turn.cancelled && this.told !== turn.id) {
      logger.quietly(
        inbox.send({ type: "cancel", queue, turn: turn.id }, { must: true }),
        "a cancel could not be stored",
      );
    }
    this.told = turn.id;
    const gone = await agent.stopNow(turn.id);
    const who = turn.task?.type === "shell" ? "the command" : "the agent";
    const done = gone ? `${who} was stopped` : `${who} was asked to stop`;
    const message = `${done}; the turn's end is stored when the log takes writes again: ${refusal.message}`;
    return new ParleyError(refusal.code, message, { ...refusal.details, turn: turn.id, stopped: gone }, refusal);
  }

  /** Takes back a prompt that waits. With the log's refusal it is kept from its turn, too: it must not begin as soon as there is room. */
  async withdraw(prompt: string): Promise<void> {
    const { inbox, ledger } = this.options;
    try {
      await inbox.send({ type: "withdraw", prompt });
    } catch (error) {
      if (!isStorageRefusal(error) || !ledger.state.queue.some(({ id }) => id === prompt)) throw error;
      this.withdrawLater(prompt);
      const message = `the prompt is withdrawn when the log takes writes again: ${error.message}`;
      throw new ParleyError(error.code, message, { ...error.details, prompt, withdrawn: "later" }, error);
    }
  }

  private withdrawLater(prompt: string): void {
    if (this.taken.has(prompt)) return;
    const { inbox, ledger, logger } = this.options;
    this.taken.add(prompt);
    const withdrawn = async (): Promise<void> => {
      try {
        await inbox.send({ type: "withdraw", prompt }, { must: true });
      } catch (error) {
        // A turn's end that was on its way may have begun the next one.
        const { turn, lastPrompt } = ledger.state;
        if (turn?.by !== "user" || lastPrompt !== prompt) throw error;
        await inbox.send({ type: "cancel", queue: "keep", turn: turn.id }, { must: true });
      } finally {
        this.taken.delete(prompt);
      }
    };
    logger.quietly(withdrawn(), "a prompt could not be withdrawn");
  }

  /** The agent's words cannot be stored: stops it and fails its turn. */
  abandon(refusal: ParleyError): void {
    const { inbox, ledger, agent, logger } = this.options;
    const { turn } = ledger.state;
    if (!turn || this.told === turn.id) return;
    this.told = turn.id;
    const message = `the turn was stopped, because nothing could be stored: ${refusal.message}`;
    const failed = inbox.send({ type: "fail", turn: turn.id, error: { code: refusal.code, message } }, { must: true });
    logger.quietly(failed, "a turn could not be failed");
    logger.quietly(agent.stopNow(turn.id), "an agent could not be stopped");
  }
}
