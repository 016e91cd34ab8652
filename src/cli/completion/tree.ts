import type { Command, Option } from "commander";

/** Values that only a look at the server or the data directory can tell. */
export const LOOKED_UP = ["agents", "models", "modes", "sessions", "asks", "nodes"] as const;
export type LookedUp = (typeof LOOKED_UP)[number];

/** The values that a shell offers after an option or as an argument. */
export type Value =
  | { kind: "none" | "any" | "file" | "directory" }
  | { kind: "values"; values: readonly string[] }
  | { kind: "lookup"; what: LookedUp };

export function fixedIn(value: Value): readonly string[] {
  return value.kind === "values" ? value.values : [];
}

export interface OptionNode {
  names: readonly string[];
  description: string;
  value: Value;
}

/** The commands as the shells need them. */
export interface CommandNode {
  name: string;
  description: string;
  options: readonly OptionNode[];
  commands: readonly CommandNode[];
  /** Of its first argument. */
  argument: Value;
}

const OPTIONS: Readonly<Record<string, LookedUp>> = {
  "--agent": "agents",
  "--model": "models",
  "--mode": "modes",
  "--session": "sessions",
};

const ARGUMENTS: Readonly<Record<string, Value>> = {
  session: { kind: "lookup", what: "sessions" },
  id: { kind: "lookup", what: "sessions" },
  ask: { kind: "lookup", what: "asks" },
  node: { kind: "lookup", what: "nodes" },
  directory: { kind: "directory" },
  path: { kind: "file" },
};

function valueAfter(option: Option): Value {
  const what = OPTIONS[option.long ?? ""];
  if (option.isBoolean() || option.negate) return { kind: "none" };
  if (option.argChoices) return { kind: "values", values: option.argChoices };
  if (what !== undefined) return { kind: "lookup", what };
  if (option.flags.includes("<directory>")) return { kind: "directory" };
  return { kind: option.flags.includes("<path>") ? "file" : "any" };
}

function optionNode(option: Option): OptionNode {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  return { names, description: option.description, value: valueAfter(option) };
}

function argumentOf(command: Command): Value {
  const [first] = command.registeredArguments;
  if (first?.argChoices) return { kind: "values", values: first.argChoices };
  return ARGUMENTS[first?.name() ?? ""] ?? { kind: "any" };
}

/** Reads the tree off the commands themselves, so that no list of them has to be kept. */
export function treeOf(command: Command): CommandNode {
  const helper = command.createHelp();
  return {
    name: command.name(),
    description: command.summary() || command.description(),
    options: helper.visibleOptions(command).map(optionNode),
    commands: helper.visibleCommands(command).map(treeOf),
    argument: argumentOf(command),
  };
}

/** Every command with the words that lead to it; the root has none. */
export function paths(
  node: CommandNode,
  before: readonly string[] = [],
): { words: readonly string[]; node: CommandNode }[] {
  return [{ words: before, node }, ...node.commands.flatMap((child) => paths(child, [...before, child.name]))];
}
