import { type CommandNode, fixedIn, type OptionNode, paths, type Value } from "./tree.ts";

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

const FLAGS = { none: "", any: " -x", file: " -r -F", directory: " -x -a '(__fish_complete_directories)'" } as const;

function valueFlags(value: Value): string {
  if (value.kind === "lookup") return ` -x -a '(__parley_values ${value.what})'`;
  return value.kind === "values" ? ` -x -a ${quoted(value.values.join(" "))}` : FLAGS[value.kind];
}

function nameFlags(names: readonly string[]): string {
  return names.map((name) => (name.startsWith("--") ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join("");
}

/** True on a command line that has come as far as these words, and no further. */
function condition(node: CommandNode, words: readonly string[]): string {
  if (words.length === 0) return "__fish_use_subcommand";
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const further = node.commands.map(({ name }) => name);
  if (further.length > 0) seen.push(`not __fish_seen_subcommand_from ${further.join(" ")}`);
  return seen.join("; and ");
}

function optionLine(option: OptionNode, when: string): string {
  return `complete -c parley -n ${quoted(when)}${nameFlags(option.names)}${valueFlags(option.value)} -d ${quoted(option.description)}`;
}

/** The argument of a command that is a file, a directory or looked up. */
function argumentLines(value: Value, when: string): string[] {
  if (value.kind === "none" || value.kind === "any" || value.kind === "values") return [];
  return [
    `complete -c parley -n ${quoted(when)}${value.kind === "file" ? " -F" : valueFlags(value).replace(" -x", "")}`,
  ];
}

const VALUES = `function __parley_values
  set -l line (commandline -opc)
  $line[1] __complete $argv[1] $line[2..-1] 2> /dev/null
end`;

export function fishScript(tree: CommandNode): string {
  const lines = paths(tree).flatMap(({ node, words }) => {
    const when = condition(node, words);
    const line = `complete -c parley -n ${quoted(when)} -a`;
    return [
      ...node.commands.map((child) => `${line} ${child.name} -d ${quoted(child.description)}`),
      ...fixedIn(node.argument).map((word) => `${line} ${word}`),
      ...argumentLines(node.argument, when),
      ...node.options.map((option) => optionLine(option, when)),
    ];
  });
  return `# fish completion of parley: parley completion fish | source\n${VALUES}\ncomplete -c parley -f\n${lines.join("\n")}\n`;
}
