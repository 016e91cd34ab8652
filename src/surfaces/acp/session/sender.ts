import type { Receipt, SessionHandle } from "../../../client/index.ts";
import type { PromptPart } from "../../../core/events/values.ts";
import { idSource } from "../../../core/ids.ts";
import { invalidParams } from "../errors.ts";
import type { TurnEnd } from "../translate/updates.ts";
import type { Prompts, SentPrompt } from "./prompts.ts";

const newId = idSource(Date.now);

/** Sends the prompts of a client to a session. */
export class Sender {
  readonly #handle: SessionHandle;
  readonly #prompts: Prompts;

  constructor(handle: SessionHandle, prompts: Prompts) {
    this.#handle = handle;
    this.#prompts = prompts;
  }

  /** Prompts from now on are withdrawn before they are sent. */
  close(): void {
    this.#prompts.isLeaving = true;
  }

  /** Sends something that becomes a turn. */
  send(send: (id: string) => Promise<Receipt | undefined>): SentPrompt {
    const id = newId("message");
    if (this.#prompts.isLeaving) {
      const end = Promise.resolve<TurnEnd>({ prompt: id, reason: "withdrawn" });
      return { id, sent: Promise.resolve(), begun: end, end };
    }
    const ended = this.#prompts.add(id);
    const begun = this.#prompts.begun(id);
    const sent = send(id).then(
      (receipt) => {
        if (receipt?.turn !== undefined) this.#prompts.began(id, receipt.turn);
      },
      (error: unknown) => {
        this.#prompts.drop(id);
        throw error;
      },
    );
    this.#prompts.sending(id, sent);
    const end = sent.then(() => ended);
    end.catch(() => {});
    // Where the response of the request is lost, an event may tell that the turn has begun.
    const settled = Promise.race([begun, end]);
    settled.catch(() => {});
    return { id, sent, begun: settled, end };
  }

  /** Gives words to the running turn. Where they come too late or too early for it they are a prompt that waits, as any other. */
  async steer(parts: PromptPart[]): Promise<Receipt> {
    this.assertOpen();
    const id = newId("message");
    this.#prompts.steered(id);
    void this.#prompts.add(id);
    const sent = this.#handle.prompt({ id, parts, delivery: "steer" });
    this.#prompts.sending(id, sent);
    try {
      const receipt = await sent;
      if (receipt.turn !== undefined) this.#prompts.began(id, receipt.turn);
      if (receipt.status === "steered") this.#prompts.drop(id);
      return receipt;
    } catch (error) {
      this.#prompts.isOwn(id);
      this.#prompts.drop(id);
      throw error;
    }
  }

  assertOpen(): void {
    if (this.#prompts.isLeaving) throw invalidParams("the session is being closed: it takes no more words");
  }

  /** Does the last work for the client. A prompt that comes meanwhile is withdrawn before it is sent: nothing would stop it. */
  async leaving(work: () => Promise<void>): Promise<void> {
    this.#prompts.isLeaving = true;
    try {
      await work();
    } catch (error) {
      this.#prompts.isLeaving = false;
      throw error;
    }
  }
}
