import { type CommandNode, fixedIn, paths, type Value } from "./tree.ts";

const reply = (flags: string): string => `mapfile -t COMPREPLY < <(compgen ${flags} -- "$cur")`;

const GENERATORS = { none: undefined, any: ":", file: reply("-f"), directory: reply("-d") } as const;

function generator(value: Value): string | undefined {
  if (value.kind === "lookup") return `_parley_values ${value.what}`;
  return value.kind === "values" ? reply(`-W "${value.values.join(" ")}"`) : GENERATORS[value.kind];
}

function valueCases(node: CommandNode, words: readonly string[]): string[] {
  return node.options.flatMap((option) => {
    const action = generator(option.value);
    if (action === undefined) return [];
    const patterns = option.names.map((name) => `"${[...words, name].join(" ")}"`).join("|");
    return [`    ${patterns}) ${action}; return ;;`];
  });
}

/** The words of a command, and its argument where one is begun. */
function offersOf(node: CommandNode): string {
  const words = reply(`-W "${wordsOf(node)}"`);
  const { argument } = node;
  if (argument.kind === "any" || argument.kind === "none" || argument.kind === "values") return words;
  return `if [[ $cur == -* ]]; then ${words}; else ${generator(argument)}; fi`;
}

function wordsOf(node: CommandNode): string {
  const commands = node.commands.map(({ name }) => name);
  return [...commands, ...fixedIn(node.argument), ...node.options.flatMap(({ names }) => names)].join(" ");
}

/** Works in bash 4 and later, with or without the bash-completion package. */
export function bashScript(tree: CommandNode): string {
  const all = paths(tree);
  const commands = all.filter(({ words }) => words.length > 0);
  return `# bash completion of parley: source <(parley completion bash)
_parley_values() {
  local value
  while IFS=$'\\t' read -r value _; do
    [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" __complete "$1" "\${COMP_WORDS[@]:1}" 2> /dev/null)
}
_parley() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${commands.map(({ words }) => `"${words.join(" ")}"`).join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  COMPREPLY=()
  case "\${path:+$path }$prev" in
${all.flatMap(({ node, words }) => valueCases(node, words)).join("\n")}
  esac
  case "$path" in
${all.map(({ node, words }) => `    "${words.join(" ")}") ${offersOf(node)} ;;`).join("\n")}
  esac
}
complete -F _parley parley
`;
}
