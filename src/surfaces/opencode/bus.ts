import { randomBytes } from "node:crypto";
import { neverBack } from "../../core/clock.ts";
import { timePart } from "../../core/ids.ts";
import type { OpencodeEvent } from "./shapes/event.ts";

export type BusListener = (directory: string | null, event: OpencodeEvent) => void;

/** Events that belong to no session and are not stored, such as those of terminals and of the TUI's remote control. */
export class Bus {
  readonly #listeners = new Set<BusListener>();
  #counter = 0;
  readonly #now = neverBack(Date.now, () => performance.now());

  /** The directory is null for an event that concerns all of them. */
  publish(directory: string | null, type: string, properties: Record<string, unknown>): void {
    const event = { id: this.newId(), type, properties };
    for (const listener of this.#listeners) listener(directory, event);
  }

  /** Shows a person a remark about a choice. */
  warn(directory: string, message: string): void {
    this.publish(directory, "tui.toast.show", { message, variant: "warning" });
  }

  /**
   * Has clients read agents, models, modes and commands anew, as native does after a login. OpenCode's terminal interface listens to the one, its web page to the
   * other; neither loses its session or the prompt that is being typed.
   */
  reload(): void {
    this.publish(null, "server.instance.disposed", { directory: "" });
    this.publish(null, "global.disposed", {});
  }

  listen(listener: BusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  newId(): string {
    this.#counter = (this.#counter + 1) % 0x1000;
    return `evt_${timePart(this.#now(), this.#counter, false)}${randomBytes(7).toString("hex")}`;
  }
}
