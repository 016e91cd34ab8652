import { HOLE } from "../glob.ts";
import { absolutePath } from "../paths.ts";
import { isKnown, isOne, mayBeOption, type Word } from "../shell/word.ts";
import { type Insight, opaque } from "./insight.ts";

const SHELL = /^(?:r?ba|da|z|m?k|pdk|lk|a|ya|po)?sh[\d.]*$/;

/** A name in `/dev/fd`, if the shell was moved there. */
const NUMBER = /^(?:\.\/+)*\d+$/;

/** A file that may be the input, and so the output of another command. */
function isInput({ value: written }: Word): boolean {
  const value = written.replaceAll(/\/(?:\.?\/)+/g, "/");
  if (/^-?$|(?:^|\/)(?:stdin|fd\/\d+)$/.test(value)) return true;
  return /^\/|\.\./.test(value) && /^\/(?:dev\/(?!null$)|proc\/)/.test(absolutePath("/", value));
}

/** A shell with its line, with a file, or with neither, when it reads commands from its input. */
function shellInsight(words: readonly Word[]): Insight {
  const [, first, line] = words;
  if (first && isKnown(first) && /^-[eilux]*c$/.test(first.value))
    return line && isKnown(line) && !/^[-+]/.test(line.value) ? { lines: [line.value] } : opaque(words);
  if (first && isKnown(first) && /^--?version$/.test(first.value)) return {};
  return first && isKnown(first) && !/^[-+]/.test(first.value) && !isInput(first) && !NUMBER.test(first.value)
    ? {}
    : opaque(words);
}

const PYTHON = /^(?:python|pypy)[\d.]*$/;

/** Options that are followed by a program's text, or by a module that can be one. */
const INTERPRETERS: readonly [RegExp, RegExp][] = [
  [PYTHON, /^-[A-Za-z]*[ciWX]/],
  [/^(?:ts-node|tsx)$/, /^(?:-[a-z]*[epr]|--(?:eval|print|require|import|loader))/],
  [/^bun$/, /^(?:-[a-z]*[epr]|--(?:eval|print|require|import|loader|preload))/],
  [/^(?:perl|ruby)[\d.]*$/, /^-(?:[A-Za-z\d]*[eEMmdr]|[\s\S]*\s)/],
  [/^php[\d.]*$/, /^-(?:[rBREd]|-)/],
  [/^lua(?:jit)?[\d.]*$/, /^-[el]/],
  [/^deno$/, /^(?:eval|repl)$/],
  [/^osascript$/, /^-/],
];

/** Options of Node that name neither a module nor a file with further options. */
const NODE_TAME =
  /^(?:-c|--(?:test|test-only|test-force-exit|watch|check|no-warnings|trace-warnings|trace-deprecation|enable-source-maps|expose-gc|experimental-(?:strip-types|transform-types|vm-modules|test-coverage)|test-reporter=(?:spec|tap|dot|junit)|(?:max[-_]old[-_]space[-_]size|test-concurrency|test-timeout|stack-trace-limit|stack-size)=\d+|(?:test-name-pattern|disable-warning)=[\s\S]*))$/;

/** Behind the file all words are for the program in it. */
function nodeInsight(words: readonly Word[]): Insight {
  const file = words.findIndex(({ value }, index) => index > 0 && !value.startsWith("-"));
  const own = words.slice(0, file < 0 ? undefined : file + 1);
  // `node inspect` reads from its input what it is to run.
  if (/^(?:inspect|debug)$/.test(words[file]?.value ?? "")) return opaque(words);
  // A path that begins with no hole is the file, however many words it becomes.
  const path = words[file];
  if (path && !path.value.startsWith(HOLE)) own[file] = { value: path.value, bare: path.bare };
  return interpreterInsight(own, /^-/, NODE_TAME);
}

function interpreterInsight(words: readonly Word[], inline: RegExp, tame?: RegExp): Insight {
  const own = words.slice(1);
  if (own.length === 1 && /^--?(?:version|help|[vV])$/.test(own[0]?.value ?? "")) return {};
  // Without a file the program comes from the input.
  if (own.every(({ value }) => value.startsWith("-")) || own.some(isInput)) return opaque(words);
  if (NUMBER.test(own.find(({ value }) => !value.startsWith("-"))?.value ?? "")) return opaque(words);
  const runs = (word: Word): boolean => inline.test(word.value) && tame?.test(word.value) !== true;
  const at = words.findIndex((word, index) => index > 0 && (runs(word) || mayBeOption(word)));
  return at < 0 ? {} : { spelled: at + 1, hidden: true };
}

/** `python3 -m name`: some modules run the text that they are given. */
function moduleInsight(words: readonly Word[]): Insight | undefined {
  const operand = words.findIndex(({ value }, index) => index > 0 && !value.startsWith("-"));
  const at = words.findIndex(({ value }) => /^-[A-Za-z]*m/.test(value));
  if (at < 0 || (operand > 0 && at > operand)) return undefined;
  const attached = /^-[A-Za-z]*?m(.*)$/.exec(words[at]?.value ?? "")?.[1] ?? "";
  const name = attached || (words[at + 1]?.value ?? HOLE);
  if (name.includes(HOLE) || /^(?:timeit|pdb|code|trace|profile|cProfile|runpy)$/.test(name)) return opaque(words);
  return { spelled: at + (attached ? 1 : 2) };
}

/** The first word that is no option. */
function firstOperand(words: readonly Word[], valued: RegExp): Word | undefined {
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    const value = word?.value ?? "";
    if (!word || mayBeOption(word)) return undefined;
    if (!value.startsWith("-")) return word;
    if (valued.test(value) && !isOne(words[++at])) return undefined;
  }
  return undefined;
}

function awkInsight(words: readonly Word[]): Insight {
  if (words.some(({ value }) => /^-(?![Fv]|$)/.test(value))) return opaque(words);
  const program = firstOperand(words, /^-[Fv]$/);
  if (program === undefined) return opaque(words);
  return isKnown(program) && !/system|getline|[|>@]/.test(program.value) ? {} : opaque(words);
}

/** In brackets a delimiter does not end a pattern. */
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n[]|\\.|\[\^?\]?[^\]/\\\n]*\])*/)`;
const READDRESS = String.raw`s([/|#,:@])(?:(?!\1)[^\\\n[]|\\.|\[\^?\]?(?:(?!\1)[^\]\\\n])*\])*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*`;
const SED_COMMAND = new RegExp(
  String.raw`^\s*(?:${ADDRESS}(?:,(?:${ADDRESS}|\+\d+))?)?\s*!?(?:[pdq=]|${READDRESS})\s*$`,
);

/** A script of sed that only prints, deletes and replaces: other commands write files and run programs. */
function isTame(script: string): boolean {
  return SED_COMMAND.test(script) || script.split(";").every((command) => SED_COMMAND.test(command));
}

function sedInsight(words: readonly Word[]): Insight {
  const plain = /^(?:-[nErsz]+|-n?i(?:\.\w+)?|-i[nE]?|--in-place|--quiet)$/;
  const scripts: (Word | undefined)[] = [];
  const operands: Word[] = [];
  // Options may come behind files, too.
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    if (/^-n?E?e$/.test(word.value)) scripts.push(words[++at]);
    else if (mayBeOption(word) || (word.value.startsWith("-") && !plain.test(word.value))) return opaque(words);
    else if (!word.value.startsWith("-")) operands.push(word);
  }
  if (scripts.length === 0) scripts.push(operands[0]);
  return scripts.every((script) => script && isKnown(script) && isTame(script.value)) ? {} : opaque(words);
}

/** Programs whose words can be programs themselves. */
export function scriptInsight(name: string, words: readonly Word[]): Insight | undefined {
  if (SHELL.test(name)) return shellInsight(words);
  if (name === "eval") {
    const rest = words.slice(words[1]?.value === "--" ? 2 : 1);
    if (rest[0]?.value.startsWith("-")) return opaque(words);
    return rest.every(isKnown) ? { lines: [rest.map(({ value }) => value).join(" ")] } : opaque(words);
  }
  if (/^[gmn]?awk$/.test(name)) return awkInsight(words);
  if (name === "sed" || name === "gsed") return sedInsight(words);
  if (PYTHON.test(name)) {
    // An option with its value in the next word.
    if (words.some(({ value }) => value.startsWith("--check-hash"))) return opaque(words);
    const module = moduleInsight(words);
    if (module) return module;
  }
  if (/^node(?:js)?$/.test(name)) return nodeInsight(words);
  const inline = INTERPRETERS.find(([program]) => program.test(name))?.[1];
  return inline && interpreterInsight(words, inline);
}
