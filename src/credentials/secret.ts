import { inspect } from "node:util";

/** A secret that no log, no error and no JSON can show by accident. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** A text that may be a secret: blanks are none. */
export function secretIn(text: unknown): Secret | undefined {
  return typeof text === "string" && text.trim() !== "" ? new Secret(text) : undefined;
}
