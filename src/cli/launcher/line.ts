import { basename } from "node:path";

/** A process above this one. */
export interface Ancestor {
  pid: number;
  start: string;
  /** Its arguments; a program that names itself, as npm does, has them all in the first. */
  argv: readonly string[];
}

const MANAGER = /^(npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack)([-.].*)?$/;
const SHELL = /^-?(sh|bash|dash|ash|busybox|zsh|ksh)$/;

/** The name of a program that may be a script of another. */
const wordsOf = (argv: readonly string[]): string[] => argv.join(" ").split(/[\s\0]+/);

const runsOneCommand = (argv: readonly string[]): boolean => {
  const words = wordsOf(argv);
  return SHELL.test(basename(words[0] ?? "")) && words.slice(1, 3).includes("-c");
};

const isManager = (argv: readonly string[]): boolean => {
  const [first = "", second = ""] = wordsOf(argv);
  const isNode = /^(node|nodejs)$/.test(basename(first));
  return MANAGER.test(basename(isNode ? second : first));
};

/**
 * The processes through which npm, or a relative of it, runs us: itself and the shells between. Whoever stops one of
 * them means us. A shell that a person types in is never among them.
 */
export function launchers(ancestors: readonly Ancestor[]): Ancestor[] {
  const line: Ancestor[] = [];
  let between: Ancestor[] = [];
  for (const one of ancestors) {
    if (isManager(one.argv)) {
      line.push(...between, one);
      between = [];
    } else if (runsOneCommand(one.argv)) between.push(one);
    else break;
  }
  return line;
}
