import assert from "node:assert/strict";
import type { AttachedSession } from "../../../src/surfaces/acp/session/attached.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import type { Update } from "../../../src/surfaces/acp/translate/updates.ts";

/** What a client is told, held against the rules of the protocol. */
export class RuledClient {
  /** The root's turns that are over for the client before the log says so, or that it never knows of. */
  readonly hidden = new Set<string>();
  readonly unknown = new Set<string>();
  readonly shown = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #calls = new Map<string, string>();
  #open: string | undefined;
  #isLoading = false;
  #fault: unknown;

  readonly front: Front = {
    update: async (_, update) => {
      if (this.#isLoading && update.type === "call") this.#calls.set(update.id, update.call.status);
      else this.#look(update);
    },
    permission: async (_, { id }, signal) => {
      this.shown.add(nameOf(id));
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      this.shown.delete(nameOf(id));
      return undefined;
    },
  };

  /** What is thrown to a session is a stream that failed. */
  #look(update: Update): void {
    try {
      this.#take(update);
    } catch (error) {
      this.#fault ??= error;
    }
  }

  assertWell(): void {
    if (this.#fault) throw this.#fault;
  }

  #take(update: Update): void {
    if (update.type === "turn") {
      assert.deepEqual(
        [this.#open, this.#begun.has(update.turn)],
        [undefined, false],
        `turn ${update.turn} begins once`,
      );
      this.#begun.add(update.turn);
      this.#open = update.turn;
    } else if (update.type === "end" && update.end.turn !== undefined) {
      assert.equal(this.#ended.has(update.end.turn), false, `turn ${update.end.turn} ends once`);
      this.#ended.add(update.end.turn);
      this.#open = undefined;
    } else if (update.type === "call") this.#call(update);
  }

  #call({ id, created, call: { status } }: Extract<Update, { type: "call" }>): void {
    const before = this.#calls.get(id);
    assert.equal(created, before === undefined, `${id} ${status}: it is told of from its beginning on`);
    assert.equal(isOver(before), false, `${id} ${status}: it is settled once`);
    const turn = turnOf(id);
    assert.equal(this.unknown.has(turn), false, `${id} ${status}: its turn is none for the client`);
    assert.equal(this.hidden.has(turn) && this.#ended.has(turn), false, `${id} ${status}: its turn is over`);
    this.#calls.set(id, status);
  }

  /** A load tells the past again. */
  async load(work: () => Promise<AttachedSession>): Promise<AttachedSession> {
    this.#calls.clear();
    this.#isLoading = true;
    const session = await work();
    this.#isLoading = false;
    this.#open = session.openTurn?.id;
    return session;
  }

  assertOver(): void {
    assert.equal(this.#open, undefined);
    assert.deepEqual(
      [...this.#calls].filter(([, status]) => !isOver(status)),
      [],
    );
  }
}

const isOver = (status: string | undefined) => status === "completed" || status === "failed";
/** The root's turn is in the name of each call. */
const turnOf = (call: string) => call.split("_")[1] ?? "";
/** An ask and its call have the same name. */
export const nameOf = (id: string) => id.slice(id.indexOf("_"));
