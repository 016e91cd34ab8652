import type { ParleyEvent } from "../core/events/event.ts";
import type { Handed, Handover } from "../core/handover.ts";
import { deferred } from "./deferred.ts";

/** Characters that may wait for the client before the stream waits for it. */
const FULL = 1024 * 1024;

/** Takes a piece within the call that gives it. A promise says when it is done with it. */
export type TakePiece = (piece: ParleyEvent) => Promise<void> | undefined;

/** The client's side of a handover: keeps what was given until it is taken. */
export class EventHandover implements Handover {
  readonly #takePiece: TakePiece | undefined;
  #isUsed = false;
  #waiting: Handed[] = [];
  #weight = 0;
  #taken = 0;
  #over: { error: unknown } | undefined;
  #reader: ReturnType<typeof deferred<Handed>> | undefined;
  #room: ReturnType<typeof deferred<void>> | undefined;
  /** A piece was taken that the client is not done with. */
  #isBusy = false;

  constructor(takePiece?: TakePiece) {
    this.#takePiece = takePiece;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  get progress(): number | undefined {
    return this.#waiting.length === 0 ? undefined : this.#taken;
  }

  use(): void {
    this.#isUsed = true;
  }

  give(handed: Handed, weight: number): Promise<void> | undefined {
    if (this.#over) return undefined;
    if (this.#reader && !this.#isBusy) {
      this.#taken += 1;
      const piece = this.#takePiece && pieceIn(handed);
      if (piece) this.#givePiece(piece);
      else this.#wake(handed);
      return undefined;
    }
    this.#waiting.push(handed);
    this.#weight += weight;
    if (this.#weight <= FULL) return undefined;
    this.#room ??= deferred();
    return this.#room.promise;
  }

  end(error: unknown): void {
    this.#over ??= { error };
    this.#release();
    this.#goOn();
  }

  /** One who waits for the next has done with all before it, so that a piece can be given to it at once. */
  #givePiece(piece: ParleyEvent): void {
    const finish = (): void => {
      this.#isBusy = false;
      this.#goOn();
    };
    this.#isBusy = true;
    try {
      const done = this.#takePiece?.(piece);
      if (done) void done.catch((error: unknown) => this.end(error)).then(finish);
      else finish();
    } catch (error) {
      this.end(error);
      finish();
    }
  }

  #wake(handed: Handed): void {
    this.#reader?.resolve(handed);
    this.#reader = undefined;
  }

  /** Gives one who waits what has come meanwhile. */
  #goOn(): void {
    if (!this.#reader || this.#isBusy) return;
    const next = this.#next();
    if (next) this.#wake(next);
    else if (this.#over) {
      this.#reader.reject(this.#over.error);
      this.#reader = undefined;
    }
  }

  #next(): Handed | undefined {
    const next = this.#waiting.shift();
    if (next) this.#taken += 1;
    if (this.#waiting.length === 0) this.#release();
    return next;
  }

  /** The next that was given. Rejects when the connection is over. */
  take(): Promise<Handed> {
    const next = this.#next();
    if (next) return Promise.resolve(next);
    if (this.#over) return Promise.reject(this.#over.error);
    this.#reader = deferred();
    return this.#reader.promise;
  }

  #release(): void {
    this.#weight = 0;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

function pieceIn(handed: Handed): ParleyEvent | undefined {
  const first = "events" in handed && handed.events.length === 1 ? handed.events[0] : undefined;
  return first?.type === "item.delta" ? first : undefined;
}
