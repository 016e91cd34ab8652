import { type CommandNode, type OptionNode, paths, type Value } from "./tree.ts";

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function valueFlags(value: Value): string {
  switch (value.kind) {
    case "none":
      return "";
    case "any":
      return " -x";
    case "file":
      return " -r -F";
    case "directory":
      return " -x -a '(__fish_complete_directories)'";
    case "values":
      return ` -x -a ${quoted(value.values.join(" "))}`;
  }
}

function nameFlags(names: readonly string[]): string {
  return names.map((name) => (name.startsWith("--") ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join("");
}

/** True on a command line that has come as far as these words, and no further. */
function condition(node: CommandNode, words: readonly string[]): string {
  if (words.length === 0) return "__fish_use_subcommand";
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const further = node.commands.map(({ name }) => name);
  return [...seen, ...(further.length > 0 ? [`not __fish_seen_subcommand_from ${further.join(" ")}`] : [])].join(
    "; and ",
  );
}

function optionLine(option: OptionNode, when: string): string {
  return `complete -c parley -n ${quoted(when)}${nameFlags(option.names)}${valueFlags(option.value)} -d ${quoted(option.description)}`;
}

export function fishScript(tree: CommandNode): string {
  const lines = paths(tree).flatMap(({ node, words }) => {
    const when = condition(node, words);
    const fixed = node.argument.kind === "values" ? node.argument.values : [];
    return [
      ...node.commands.map(
        (child) => `complete -c parley -n ${quoted(when)} -a ${child.name} -d ${quoted(child.description)}`,
      ),
      ...fixed.map((word) => `complete -c parley -n ${quoted(when)} -a ${word}`),
      ...node.options.map((option) => optionLine(option, when)),
    ];
  });
  return `# fish completion of parley: parley completion fish | source\ncomplete -c parley -f\n${lines.join("\n")}\n`;
}
