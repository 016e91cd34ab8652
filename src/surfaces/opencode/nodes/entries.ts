import { createHash } from "node:crypto";
import { isFields, jsonIn } from "../../../core/json/fields.ts";
import type { Nodes } from "./contract.ts";

/** Entries that clients gave a node, by their names. They count until that node stops, as they would if the server were alone. */
export class GivenEntries<Value> {
  readonly #nodes: Nodes;
  readonly #kind: string;

  constructor(nodes: Nodes, kind: string) {
    this.#nodes = nodes;
    this.#kind = kind;
  }

  #name(of: string): string {
    // Paths are too long for keys.
    const sum = createHash("sha256").update(of).digest("hex");
    return `opencode.${this.#kind}.${this.#nodes.place}.${sum}`;
  }

  #living(text: string | undefined): [string, { node: number; value: Value }][] {
    const kept = jsonIn(text ?? "{}");
    const entries = isFields(kept) ? Object.entries(kept) : [];
    return (entries as [string, { node: number; value: Value }][]).filter(([, { node }]) => this.#nodes.lives(node));
  }

  async read(of: string): Promise<Map<string, Value>> {
    const living = this.#living(await this.#nodes.read(this.#name(of)));
    return new Map(living.map(([name, { value }]) => [name, value]));
  }

  /** Gives entries, and forgets those of nodes that have stopped. */
  async give(of: string, given: Readonly<Record<string, Value>>): Promise<void> {
    const node = this.#nodes.node();
    const own = Object.entries(given).map(([name, value]) => [name, { node, value }] as const);
    await this.#nodes.change(this.#name(of), (before) =>
      JSON.stringify(Object.fromEntries([...this.#living(before), ...own])),
    );
  }
}
