import type { StreamEvent } from "../../client/index.ts";

/** Turns the events of a turn into the text that the agent says, piece by piece and nothing twice. */
export class ReplyText {
  /** The text of each open message so far. */
  readonly #said = new Map<string, string>();
  #any = false;

  /** The new text in an event. */
  take(event: StreamEvent): string {
    switch (event.type) {
      case "item.started": {
        const { item } = event.data;
        if (item.kind !== "message" || item.role !== "assistant") return "";
        this.#said.set(item.id, "");
        return item.text ? this.#become(item.id, item.text) : "";
      }
      case "item.delta": {
        const { item, field, delta, replace } = event.data;
        const said = this.#said.get(item);
        if (said === undefined || field !== "text") return "";
        return replace === undefined ? this.#add(item, said, delta ?? "") : this.#become(item, replace);
      }
      case "item.completed": {
        const { item } = event.data;
        if (item.kind !== "message" || item.role !== "assistant") return "";
        if (!this.#said.has(item.id)) this.#said.set(item.id, "");
        const rest = item.status === "retracted" ? "" : this.#become(item.id, item.text ?? "");
        this.#said.delete(item.id);
        return rest;
      }
      default:
        return "";
    }
  }

  /** Nothing is compared here: with thousands of deltas that would cost the square of the text. */
  #add(item: string, said: string, delta: string): string {
    if (delta === "") return "";
    this.#said.set(item, said + delta);
    return said === "" ? this.#apart() + delta : delta;
  }

  #apart(): string {
    const apart = this.#any ? "\n\n" : "";
    this.#any = true;
    return apart;
  }

  /** Text that was written cannot be taken back: a corrected text is written again as a whole. */
  #become(item: string, text: string): string {
    const said = this.#said.get(item) ?? "";
    this.#said.set(item, text);
    if (text === said) return "";
    if (said !== "") return text.startsWith(said) ? text.slice(said.length) : `\n\n${text}`;
    return this.#apart() + text;
  }
}
