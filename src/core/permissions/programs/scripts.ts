import { HOLE } from "../glob.ts";
import { isKnown, type Word } from "../shell/word.ts";
import { type Insight, opaque } from "./insight.ts";

const SHELL = /^(?:ba|da|z|k|a)?sh$/;

/** A shell with its line, with a file, or with neither, when it reads commands from its input. */
function shellInsight(words: readonly Word[]): Insight {
  const [, first, line] = words;
  if (first && isKnown(first) && /^-[a-z]*c$/.test(first.value))
    return line && isKnown(line) && !/^[-+]/.test(line.value) ? { lines: [line.value] } : opaque(words);
  if (first && isKnown(first) && /^--?version$/.test(first.value)) return {};
  return first && isKnown(first) && !first.value.startsWith("-") ? {} : opaque(words);
}

/** Options that are followed by a program's text. */
const INTERPRETERS: readonly [RegExp, RegExp][] = [
  [/^python[\d.]*$/, /^-[A-Za-z]*c/],
  [/^(?:node|nodejs|bun)$/, /^(?:-[a-z]*[ep]|--eval|--print)/],
  [/^(?:perl|ruby)$/, /^-[A-Za-z\d]*[eE]/],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^lua[\d.]*$/, /^-e/],
  [/^deno$/, /^(?:eval|repl)$/],
  [/^osascript$/, /^-/],
];

function interpreterInsight(words: readonly Word[], inline: RegExp): Insight {
  if (words.length === 1 || words[1]?.value === "-") return opaque(words);
  const at = words.findIndex(({ value }, index) => index > 0 && (inline.test(value) || value.startsWith(HOLE)));
  return at < 0 ? {} : { spelled: at + 1, hidden: true };
}

/** The first word that is no option. */
function firstOperand(words: readonly Word[], valued: RegExp): Word | undefined {
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (!value.startsWith("-")) return words[at];
    if (valued.test(value)) at++;
  }
  return undefined;
}

function awkInsight(words: readonly Word[]): Insight {
  if (words.some(({ value }) => /^-(?:[fileE]|-)/.test(value))) return opaque(words);
  const program = firstOperand(words, /^-[Fv]$/);
  if (program === undefined) return opaque(words);
  return isKnown(program) && !/system|getline|[|>@]/.test(program.value) ? {} : opaque(words);
}

const PLACE = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;
const REPLACE = String.raw`s([/|#,:@])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*`;
const SED_COMMAND = new RegExp(String.raw`^\s*(?:${PLACE}(?:,(?:${PLACE}|\+\d+))?)?\s*!?(?:[pdq=]|${REPLACE})\s*$`);

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
    else if (word.value.startsWith(HOLE) || (word.value.startsWith("-") && !plain.test(word.value)))
      return opaque(words);
    else if (!word.value.startsWith("-")) operands.push(word);
  }
  if (scripts.length === 0) scripts.push(operands[0]);
  return scripts.every((script) => script && isKnown(script) && isTame(script.value)) ? {} : opaque(words);
}

/** Programs whose words can be programs themselves. */
export function scriptInsight(name: string, words: readonly Word[]): Insight | undefined {
  if (SHELL.test(name)) return shellInsight(words);
  if (name === "eval") {
    const rest = words.slice(1);
    return rest.every(isKnown) ? { lines: [rest.map(({ value }) => value).join(" ")] } : opaque(words);
  }
  if (/^[gmn]?awk$/.test(name)) return awkInsight(words);
  if (name === "sed" || name === "gsed") return sedInsight(words);
  const inline = INTERPRETERS.find(([program]) => program.test(name))?.[1];
  return inline && interpreterInsight(words, inline);
}
