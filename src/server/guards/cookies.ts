import { percentDecoded } from "../../core/percent.ts";

/** The values of pairs such as `name=value` whose name is this one, in any case. */
export function fromPairs(text: string, separator: string, name: string): string[] {
  return text
    .split(separator)
    .map((pair) => pair.trim())
    .filter((pair) => percentDecoded(pair.split("=", 1)[0] ?? "").toLowerCase() === name)
    .map((pair) => percentDecoded(pair.slice(pair.indexOf("=") + 1)));
}
