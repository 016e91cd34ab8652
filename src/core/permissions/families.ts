import { HOLE } from "./glob.ts";

/**
 * Commands that people allow as a family: the words that name it, as many as are needed. Programs that run programs, interpreters
 * and those that destroy are left out on purpose.
 */
const FAMILIES: readonly RegExp[] = [
  /^git (?:add|annotate|blame|branch|cat-file|cherry|commit|count-objects|describe|diff|fetch|for-each-ref|grep|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|pull|reflog|remote|rev-list|rev-parse|shortlog|show|show-ref|stash|status|tag|version|whatchanged)$/,
  /^(?:npm|pnpm|yarn|bun) (?:test|ci|audit|outdated|ls|list|view|info)$/,
  /^(?:npm|pnpm|yarn|bun) run [\w:.-]+$/,
  /^cargo (?:bench|build|check|clean|clippy|doc|fmt|metadata|search|test|tree|update)$/,
  /^go (?:build|doc|env|fmt|list|mod|test|vet|version)$/,
  /^(?:pip3?|uv) (?:list|show|freeze|check|lock|sync)$/,
  /^(?:docker|podman) (?:images|inspect|logs|ps|version)$/,
  /^docker compose (?:config|logs|ps)$/,
  /^kubectl (?:describe|get|logs|version)$/,
  /^gh (?:issue|pr|release|repo|run|workflow) (?:diff|list|status|view|checks)$/,
  /^(?:make|just) [\w:.-]+$/,
  /^(?:npx|bunx) (?:biome|eslint|jest|playwright|prettier|tsc|vitest)$/,
  /^(?:ls|cat|head|tail|wc|grep|egrep|fgrep|rg|fd|find|tree|file|stat|du|df|pwd|echo|printf|date|which|whoami|id|uname|hostname|basename|dirname|realpath|readlink|sort|uniq|cut|tr|diff|cmp|comm|nl|od|xxd|md5sum|sha1sum|sha256sum|jq|yq|column|paste|seq|sleep|true|false|test|\[|cd|mkdir|touch|ps|sed|awk)$/,
  /^(?:biome|black|eslint|flake8|golangci-lint|jest|mypy|prettier|pylint|pytest|ruff|shellcheck|tsc|vitest)$/,
];
const LONGEST = 3;

/** Options by which programs of a family that reads write files. */
const WRITES: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[a-zA-Z]*i|--i)/,
  yq: /^(?:-[a-zA-Z]*[is]|--(?:i|s))/,
  tree: /^-[a-zA-Z]*o/,
  file: /^(?:-[a-zA-Z]*C|--c)/,
};
const UNKNOWN_OPTION = new RegExp(`^(?:-.*)?${HOLE}`);
/** Programs that write the second file they are told. */
const WRITES_SECOND = /^(?:uniq|xxd)$/;
/** They run what the package says that they are told. Older logs have grants of these families. */
const INSTALLS = /^(?:npm|pnpm|yarn|bun|pip3?|uv) (?:install|pack)$/;

/** A command that an always for its family does not mean: it writes a file, or runs what a package brings. */
export function isBeyondFamily(words: readonly string[]): boolean {
  const [name = "", ...rest] = words;
  if (words.length > 2 && INSTALLS.test(words.slice(0, 2).join(" "))) return true;
  if (Object.hasOwn(WRITES, name)) return rest.some((word) => WRITES[name]?.test(word) || UNKNOWN_OPTION.test(word));
  // The values of options count as files: a question too many, and no table of options.
  const files = rest.filter((word) => word === "-" || !word.startsWith("-"));
  return WRITES_SECOND.test(name) && (files.length > 1 || rest.some((word) => word.includes(HOLE) || word === "--"));
}

/** The words of the family that a command belongs to; undefined where only the very same words can be meant. */
export function familyOf(words: readonly string[]): string | undefined {
  for (let count = Math.min(LONGEST, words.length); count >= 1; count--) {
    const start = words.slice(0, count).join(" ");
    if (FAMILIES.some((family) => family.test(start))) return start;
  }
  return undefined;
}
