import { randomBytes } from "node:crypto";
import { neverBack } from "../../core/clock.ts";
import { timePart } from "../../core/ids.ts";
import type { Nodes } from "./nodes/contract.ts";
import type { OpencodeEvent } from "./shapes/event.ts";

/** `tui`: the event is for the terminal interfaces of the directory alone. */
export type BusListener = (directory: string | null, event: OpencodeEvent, tui: boolean) => void;

/** Events that belong to no session and are not stored, such as those of terminals and of the TUI's remote control. */
export class Bus {
  readonly #listeners = new Set<BusListener>();
  readonly #nodes: Pick<Nodes, "tell"> | undefined;
  #counter = 0;
  readonly #now = neverBack(Date.now, () => performance.now());

  /** `nodes`: the others, whose clients hear the same. */
  constructor(nodes?: Pick<Nodes, "tell">) {
    this.#nodes = nodes;
  }

  /** The directory is null for an event that concerns all of them. */
  publish(directory: string | null, type: string, properties: Record<string, unknown>): void {
    this.#send(directory, { id: this.newId(), type, properties }, false);
  }

  /** Shows a message in the terminal interfaces of a directory. They do not look at the directory of an event, so the others get none. */
  toast(directory: string, message: string, variant: "error" | "warning"): void {
    this.#send(directory, { id: this.newId(), type: "tui.toast.show", properties: { message, variant } }, true);
  }

  /** Takes an event of another node to the listeners of this one. */
  hear(directory: string | null, event: OpencodeEvent, tui: boolean): void {
    for (const listener of this.#listeners) listener(directory, event, tui);
  }

  #send(directory: string | null, event: OpencodeEvent, tui: boolean): void {
    this.hear(directory, event, tui);
    this.#nodes?.tell({ kind: "event", directory, event, ...(tui ? { tui } : {}) });
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
