import type { Command, Option } from "commander";

/** The values that a shell offers after an option or as an argument. */
export type Value = { kind: "none" | "any" | "file" | "directory" } | { kind: "values"; values: readonly string[] };

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

function valueAfter(option: Option): Value {
  if (option.isBoolean() || option.negate) return { kind: "none" };
  if (option.argChoices) return { kind: "values", values: option.argChoices };
  if (option.flags.includes("<directory>")) return { kind: "directory" };
  return { kind: option.flags.includes("<path>") ? "file" : "any" };
}

function optionNode(option: Option): OptionNode {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  return { names, description: option.description, value: valueAfter(option) };
}

function argumentOf(command: Command): Value {
  const values = command.registeredArguments[0]?.argChoices;
  return values ? { kind: "values", values } : { kind: "any" };
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
