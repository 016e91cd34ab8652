import { HOLE } from "../glob.ts";
import { isKnown, type Word } from "../shell/word.ts";
import { type Inner, type Insight, opaque } from "./insight.ts";

interface Wrapper {
  flags?: RegExp;
  /** Options that take a value, in the same word or the next. */
  valued?: RegExp;
  /** Words before the command. */
  operands?: number;
  /** `name=value` may come before the command. */
  assigns?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { flags: /^(?:-i|-|--ignore-environment)$/, valued: /^(?:-u|--unset=)/, assigns: true },
  sudo: { flags: /^-[nEHSkb]$/, valued: /^-[ugp]/, assigns: true },
  doas: { flags: /^-n$/, valued: /^-u/ },
  nice: { flags: /^-\d+$/, valued: /^(?:-n|--adjustment=)/ },
  ionice: { flags: /^-t$/, valued: /^-[cn]/ },
  nohup: {},
  setsid: { flags: /^(?:-[wfc]|--wait|--fork)$/ },
  stdbuf: { valued: /^-[ioe]/ },
  timeout: {
    flags: /^(?:-v|--foreground|--preserve-status|--verbose)$/,
    valued: /^(?:-[sk]|--signal=|--kill-after=)/,
    operands: 1,
  },
  time: { flags: /^-p$/ },
  command: { flags: /^-p$/ },
  builtin: {},
  exec: { flags: /^-[cl]$/, valued: /^-a/ },
  "cross-env": { assigns: true },
  xargs: { flags: /^(?:-[0rtx]+|--null|--no-run-if-empty)$/, valued: /^-[nPLdsE]/ },
};

const KEYWORD = /^(?:!|\{|if|while|until|for|case|select|function|time|coproc|\[\[)$/;

/** Where the wrapped command begins; undefined where an option is not known for certain. */
function commandStart(words: readonly Word[], { flags, valued, operands = 0 }: Wrapper): number | undefined {
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    if (!word || !isKnown(word)) return undefined;
    const { value } = word;
    if (value === "--") {
      at++;
      break;
    }
    if (!value.startsWith("-")) break;
    if (flags?.test(value)) continue;
    const option = valued?.exec(value)?.[0];
    if (option === undefined) return undefined;
    if (option === value && !option.endsWith("=") && !isKnown(words[++at])) return undefined;
  }
  const skipped = words.slice(at, at + operands);
  return skipped.every(isKnown) ? at + operands : undefined;
}

function innerOf(words: readonly Word[], assigns: boolean): Inner {
  const assignments: NonNullable<Inner["assignments"]> = [];
  let at = 0;
  for (; assigns && at < words.length; at++) {
    const found = /^([^=]+)=([\s\S]*)$/.exec(words[at]?.value ?? "");
    if (!found) break;
    assignments.push({ name: found[1] ?? "", value: found[2] ?? "" });
  }
  return { words: words.slice(at), assignments };
}

/** `xargs` adds unknown words behind the command, or instead of a mark. */
function wrappedByXargs(words: readonly Word[]): Insight {
  const mark = words.findIndex(({ value }) => value.startsWith("-I"));
  const hole: Word = { value: HOLE, bare: false, splits: true };
  if (mark < 0) {
    const insight = wrapped("xargs", words);
    return insight.inner ? { inner: insight.inner.map(({ words: own }) => ({ words: [...own, hole] })) } : insight;
  }
  const attached = (words[mark]?.value ?? "").slice(2);
  const sign = attached || (words[mark + 1]?.value ?? "");
  const rest = words.slice(mark + (attached ? 1 : 2));
  // A later option that counts words or lines has them added behind the command again.
  const command = rest.findIndex(({ value }) => !value.startsWith("-"));
  if (rest.slice(0, Math.max(0, command)).some(({ value }) => /^-[nL]|^--max-[al]/.test(value))) return opaque(words);
  const insight = wrapped("xargs", [...words.slice(0, mark), ...rest]);
  if (mark > 1 || sign === "" || sign.includes(HOLE) || !insight.inner) return insight.inner ? opaque(words) : insight;
  const filled = ({ words: own }: Inner): Inner => ({
    words: own.map((word) => ({ ...word, value: word.value.replaceAll(sign, HOLE) })),
  });
  return { inner: insight.inner.map(filled) };
}

function wrapped(name: string, words: readonly Word[]): Insight {
  const wrapper = WRAPPERS[name];
  const start = wrapper && commandStart(words, wrapper);
  if (start === undefined) return opaque(words);
  const inner = innerOf(words.slice(start), wrapper?.assigns === true);
  if (inner.words.length === 0) return (inner.assignments?.length ?? 0) > 0 ? opaque(words) : {};
  // A function can be handed over by a name that no variable has.
  if (inner.assignments?.some(({ name }) => !/^[A-Za-z_]\w*$/.test(name))) return opaque(words);
  // Some shells read these as their own words.
  if (KEYWORD.test(inner.words[0]?.value ?? "")) return opaque(words);
  return { inner: [inner] };
}

/** Programs that run the program that they are told, with what that is; undefined for others. */
export function wrapperInsight(name: string, words: readonly Word[]): Insight | undefined {
  if (!Object.hasOwn(WRAPPERS, name)) return undefined;
  if (name === "command" && /^-[vV]$/.test(words[1]?.value ?? "")) return {};
  return name === "xargs" ? wrappedByXargs(words) : wrapped(name, words);
}
