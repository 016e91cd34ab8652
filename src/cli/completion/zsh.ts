import { type CommandNode, type OptionNode, paths, type Value } from "./tree.ts";

/** Text inside single quotes in a specification of _arguments, where brackets and colons have a meaning. */
function escaped(text: string): string {
  return text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (character) => `\\${character}`);
}

const ACTIONS = { none: "", any: ":value: ", file: ":file:_files", directory: ":directory:_files -/" } as const;

function action(value: Value): string {
  if (value.kind === "lookup") return `:value:_parley_values ${value.what}`;
  return value.kind === "values" ? `:value:(${value.values.join(" ")})` : ACTIONS[value.kind];
}

function optionSpecs({ names, description, value }: OptionNode): string[] {
  return names.map((name) => `'${name}[${escaped(description)}]${action(value)}'`);
}

function functionName(words: readonly string[]): string {
  return ["_parley", ...words].join("_").replaceAll("-", "_");
}

function functionOf(node: CommandNode, words: readonly string[]): string {
  const specs = node.options.flatMap(optionSpecs);
  const name = functionName(words);
  if (node.commands.length === 0) {
    const { kind } = node.argument;
    const argument = kind === "any" || kind === "none" ? ": " : action(node.argument);
    return `${name}() {\n  _arguments ${[...specs, `'*:${argument}'`].join(" \\\n    ")}\n}`;
  }
  const described = node.commands.map((child) => `'${child.name}:${escaped(child.description)}'`).join(" ");
  const cases = node.commands.map((child) => `      ${child.name}) ${functionName([...words, child.name])} ;;`);
  // Sub-commands see only their own part of the line.
  const whole = words.length === 0 ? `  local -a parley_line=("\${words[@]}")\n` : "";
  return `${name}() {
${whole}  local state line
  _arguments -C ${[...specs, "'1: :->command'", "'*:: :->rest'"].join(" \\\n    ")}
  case $state in
    command) local -a commands=(${described}); _describe command commands ;;
    rest) case $line[1] in
${cases.join("\n")}
    esac ;;
  esac
}`;
}

const VALUES = `_parley_values() {
  local -a found
  local tab=$'\\t'
  found=("\${(@f)$("\${parley_line[1]}" __complete "$1" "\${(@)parley_line[2,-1]}" 2> /dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$tab/:}")
  _describe value found
}`;

export function zshScript(tree: CommandNode): string {
  const functions = paths(tree).map(({ node, words }) => functionOf(node, words));
  return `#compdef parley\n${VALUES}\n${functions.join("\n")}\nif [ "$funcstack[1]" = "_parley" ]; then _parley "$@"; else compdef _parley parley; fi\n`;
}
