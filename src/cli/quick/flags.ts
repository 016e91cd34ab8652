import type { Kind } from "../config/kinds.ts";

/** A flag as commander writes it, such as `--port <number>`; without a kind its value is taken as it is. */
export interface QuickFlag {
  flag: string;
  kind?: Kind<unknown>;
}

const FLAG = /^--(no-)?([a-z][a-z-]*)( <.+>)?$/;
const GIVEN = /^(--[a-z][a-z-]*)(?:=(.*))?$/s;

/** The name under which commander keeps the value of a flag. */
export function attributeOf(flag: string): string {
  const [, , name = ""] = FLAG.exec(flag) ?? [];
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function readValue(kind: Kind<unknown> | undefined, text: string, before: unknown): unknown {
  if (!kind) return text;
  if (kind.repeatable) return [...(Array.isArray(before) ? before : []), text];
  return kind.parse(text);
}

/**
 * Reads the flags of a command as commander would, without commander. Undefined for a line with anything that is
 * unusual, or wrong: commander reads that one, and says what is wrong with it.
 */
export function readFlags(argv: readonly string[], flags: readonly QuickFlag[]): Map<string, unknown> | undefined {
  const known = new Map(flags.map((one) => [one.flag.split(" ", 1)[0], one]));
  const values = new Map<string, unknown>();
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name, joined] = GIVEN.exec(word) ?? [];
    const one = known.get(name);
    if (!one) return undefined;
    const attribute = attributeOf(one.flag);
    if (values.has(attribute) && !one.kind?.repeatable) return undefined;
    if (one.flag.endsWith(">")) {
      const text = joined ?? rest.shift();
      if (!text || (joined === undefined && text.startsWith("-"))) return undefined;
      const value = readValue(one.kind, text, values.get(attribute));
      if (value === undefined) return undefined;
      values.set(attribute, value);
    } else {
      if (joined !== undefined) return undefined;
      values.set(attribute, !one.flag.startsWith("--no-"));
    }
  }
  return values;
}
