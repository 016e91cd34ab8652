import { InvalidArgumentError, Option } from "commander";
import type { TextValue } from "./config/text-values.ts";

/** An option whose value is checked as the same setting is in the environment. */
export function valueOption<T>(flags: string, description: string, kind: TextValue<T>): Option {
  return new Option(flags, description).argParser((value): T => {
    const parsed = kind.parse(value);
    if (parsed === undefined) throw new InvalidArgumentError(`Expected ${kind.expected}.`);
    return parsed;
  });
}

/** An option that may be given more than once. */
export function repeatedOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before: string[] | undefined) => [...(before ?? []), value]);
}

export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices([...choices]);
}

export function dataDirOption(): Option {
  return new Option("--data-dir <path>", "where sessions are kept (default ~/.local/share/parley)").helpGroup(
    "Server:",
  );
}

export function jsonOption(description = "as JSON, for programs"): Option {
  return new Option("--json", description);
}
