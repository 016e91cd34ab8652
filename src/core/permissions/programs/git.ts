import { isKnown, isOne, mayBeOption, type Word } from "../shell/word.ts";
import { type Insight, opaque } from "./insight.ts";

/** Commands of git itself: any other name may be an alias, which can stand for any program. */
const OWN = new Set(
  (
    "add am apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean clone " +
    "commit config count-objects describe diff diff-files diff-index diff-tree difftool fetch filter-branch for-each-ref " +
    "format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree merge merge-base merge-tree mergetool mv " +
    "name-rev notes pull push range-diff read-tree rebase reflog remote rerere reset restore rev-list rev-parse revert rm " +
    "shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index " +
    "update-ref var verify-commit verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);
/** Those that run programs which are named in their words or in what they write. */
const RUNS_OTHERS = new Set(["config", "difftool", "filter-branch", "mergetool", "submodule"]);
/** Those without any option that runs a program or writes a file. */
const TAME = new Set("add branch checkout commit describe ls-files restore rev-parse status switch".split(" "));
/** Long options that name a program or a file to write. Git takes their beginnings, too. */
const TOLD = [
  "exec",
  "upload-pack",
  "receive-pack",
  "output",
  "output-directory",
  "ext-diff",
  "open-files-in-pager",
  "textconv",
  "strategy",
  "template",
  "config",
];

function names(option: string): boolean {
  const [name = ""] = option.slice(2).split("=");
  return name.length > 0 && TOLD.some((told) => told.startsWith(name));
}

/** Options without a value in the next word. */
const ALONE =
  /^(?:[^-][\s\S]*|-\d+|-[pqz]|--[\w-]+=[\s\S]*|--(?:oneline|stat|numstat|shortstat|summary|cached|staged|name-only|name-status|follow|all|graph|patch|no-patch|reverse|merges|no-merges|decorate|first-parent|porcelain|short|quiet))$/;

/** Two dashes end the options, unless they are the value of the one before. `pull` hands what follows to another command. */
function endsOptions(words: readonly Word[], at: number): boolean {
  return words[at]?.value === "--" && ALONE.test(words[at - 1]?.value ?? "");
}

/** `git -c`, aliases and the options that name programs are for rules that spell them out. */
export function gitInsight(words: readonly Word[]): Insight {
  let at = 1;
  for (; /^(?:--no-pager|-P|-C)$/.test(words[at]?.value ?? ""); at++) {
    if (words[at]?.value === "-C" && !isOne(words[++at])) return opaque(words);
  }
  const command = words[at];
  if (command === undefined) return {};
  if (/^--?(?:version|help|v|h)$/.test(command.value)) return { spelled: at + 1 };
  if (!isKnown(command) || command.value.startsWith("-") || RUNS_OTHERS.has(command.value)) return opaque(words);
  if (!OWN.has(command.value)) return { spelled: at + 1, hidden: true };
  if (TAME.has(command.value)) return {};
  const end = command.value === "pull" ? -1 : words.findIndex((_, index) => endsOptions(words, index));
  for (const word of words.slice(at + 1, end < 0 ? undefined : end)) {
    const { value } = word;
    if (mayBeOption(word) || (value.startsWith("--") && names(value))) return opaque(words);
    if (/^ext::/.test(value)) return opaque(words);
    if (command.value === "grep" && /^-[a-zA-Z\d]*O/.test(value)) return opaque(words);
    if (/^(?:archive|format-patch)$/.test(command.value) && /^-[a-zA-Z\d]*o/.test(value)) return opaque(words);
    if (command.value === "rebase" && /^-[a-zA-Z\d]*x/.test(value)) return opaque(words);
    if (command.value === "bisect" && /^(?:run|view|visualize)$/.test(value)) return opaque(words);
    if (command.value === "clone" && /^-[a-zA-Z\d]*[cu]/.test(value)) return opaque(words);
  }
  return {};
}
