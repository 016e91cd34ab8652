import { type CommandNode, paths, type Value } from "./tree.ts";

function generator(value: Value): string | undefined {
  switch (value.kind) {
    case "none":
      return undefined;
    case "any":
      return ":";
    case "file":
      return 'mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
    case "directory":
      return 'mapfile -t COMPREPLY < <(compgen -d -- "$cur")';
    case "values":
      return `mapfile -t COMPREPLY < <(compgen -W "${value.values.join(" ")}" -- "$cur")`;
  }
}

function valueCases(node: CommandNode, words: readonly string[]): string[] {
  return node.options.flatMap((option) => {
    const action = generator(option.value);
    if (action === undefined) return [];
    const patterns = option.names.map((name) => `"${[...words, name].join(" ")}"`).join("|");
    return [`    ${patterns}) ${action}; return ;;`];
  });
}

function wordsOf(node: CommandNode): string {
  const fixed = node.argument.kind === "values" ? node.argument.values : [];
  return [...node.commands.map(({ name }) => name), ...fixed, ...node.options.flatMap(({ names }) => names)].join(" ");
}

/** Works in bash 4 and later, with or without the bash-completion package. */
export function bashScript(tree: CommandNode): string {
  const all = paths(tree);
  const commands = all.filter(({ words }) => words.length > 0);
  return `# bash completion of parley: source <(parley completion bash)
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
${all.map(({ node, words }) => `    "${words.join(" ")}") mapfile -t COMPREPLY < <(compgen -W "${wordsOf(node)}" -- "$cur") ;;`).join("\n")}
  esac
}
complete -F _parley parley
`;
}
