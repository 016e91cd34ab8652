import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Handed, Handover } from "../../core/handover.ts";
import type { Frame } from "./frame.ts";
import { look, NO_PROGRESS, type Progress, underWay } from "./stall.ts";

/** Why the server ended a stream. */
export type CutReason = "backlog" | "stalled" | "shutdown" | "over";

export interface SseLimits {
  /** Bytes that may wait for one client before it is cut. It comes back with its cursor. */
  backlog: number;
  /** Above this a reader of old events should wait for `drained()`. */
  highWater: number;
  /** The same for events that were stored just now: their bytes are there anyway, and all clients share them. */
  liveHighWater: number;
  /** Beats without progress before a client is cut. */
  stillBeats: number;
}

/** The socket of a client in the same process may take events as they are. */
type ClientSocket = Socket & { handover?: Handover };

/** One open event stream. Frames go straight to its socket; nothing here ends it cleanly. */
export class SseClient {
  readonly #socket: ClientSocket;
  readonly #chunked: boolean;
  readonly #limits: SseLimits;
  readonly #onCut: (reason: CutReason) => void;
  readonly #closers: (() => void)[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  #progress: Progress = NO_PROGRESS;
  #still = 0;
  #taken: number | undefined;
  #written = 0;
  #quiet = true;
  #closed = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    limits: SseLimits,
    onCut: (reason: CutReason) => void,
  ) {
    this.#socket = request.socket;
    this.#chunked = request.httpVersion !== "1.0";
    this.#limits = limits;
    this.#onCut = onCut;
    this.#socket.on("drain", () => this.#release());
    response.once("close", () => this.#end());
    response.once("error", () => this.#end());
    // A client that left while the stream was being prepared sends no more events.
    if (response.closed || response.destroyed || this.#socket.destroyed) this.#closed = true;
    this.#socket.handover?.use();
  }

  /** Whether the client takes events as they are, by `hand`. It gets no frame then, and needs no heartbeat. */
  get isHanded(): boolean {
    return this.#socket.handover !== undefined;
  }

  /** Gives a client in the same process something of so many characters. A promise says that it is behind. */
  hand(handed: Handed, weight: number): Promise<void> | undefined {
    return this.#closed ? undefined : this.#socket.handover?.give(handed, weight);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes that wait for this client. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  /** Sends a frame. False: the client is behind, and a reader of old events should await `drained()`. */
  write(frame: Frame, live = false): boolean {
    if (this.#closed) return false;
    const waiting = this.backlog;
    const bytes = this.#chunked ? frame.chunk : frame.text;
    this.#written += bytes.length;
    this.#quiet = false;
    this.#socket.write(bytes);
    const full = live ? this.#limits.liveHighWater : this.#limits.highWater;
    // A client that was not full is not cut for one frame that is bigger than the limit: it would come back for it, and
    // be cut again, for ever.
    if (this.backlog > this.#limits.backlog && waiting > full) {
      this.cut("backlog");
      return false;
    }
    return this.backlog <= full;
  }

  /** Resolves when the client has caught up, or has gone. */
  drained(): Promise<void> {
    if (this.#closed || this.#socket.writableLength <= this.#limits.highWater) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  /** Called once, at once if it is closed already. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closers.push(listener);
  }

  /** The socket is destroyed in the middle of the response, so that the client knows to come back. */
  cut(reason: CutReason): void {
    if (this.#closed) return;
    this.#onCut(reason);
    this.#socket.destroy();
    this.#end();
  }

  /** Once every heartbeat: says that we live where nothing else did, and sees whether the client does. */
  beat(heartbeat: Frame): void {
    if (this.#socket.handover) return this.#beatHanded(this.#socket.handover);
    const pending = this.#socket.writableLength;
    const sent = this.#written - pending;
    this.#progress = look(this.#progress, { pending, sent, underWay: underWay(this.#socket) });
    if (this.#progress.still >= this.#limits.stillBeats) {
      this.cut("stalled");
      return;
    }
    if (this.#quiet && pending === 0) this.write(heartbeat);
    this.#quiet = true;
  }

  /** One that takes nothing of what waits for it does not count as one who watches. */
  #beatHanded({ progress }: Handover): void {
    this.#still = progress !== undefined && progress === this.#taken ? this.#still + 1 : 0;
    this.#taken = progress;
    if (this.#still >= this.#limits.stillBeats) this.cut("stalled");
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    for (const listener of this.#closers.splice(0)) listener();
  }
}
