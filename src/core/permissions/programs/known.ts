import { HOLE } from "../glob.ts";
import { isKnown, type Word } from "../shell/word.ts";
import { gitInsight } from "./git.ts";
import { type Insight, opaque } from "./insight.ts";
import { scriptInsight } from "./scripts.ts";
import { wrapperInsight } from "./wrappers.ts";

function list(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** They run text or programs that are not looked through. */
const OPAQUE = list(
  "source . trap alias unalias hash enable bind complete compgen compopt mapfile readarray fc jobs sched autoload zmodload emulate " +
    "repeat noglob nocorrect - coproc su runuser pkexec chroot nsenter unshare script flock strace ltrace gdb perf parallel " +
    "watch entr at batch crontab systemd-run busybox toybox rlwrap expect screen tmux start-stop-daemon proot fakeroot direnv " +
    "nix-shell fish csh tcsh pwsh xonsh nu elvish ssh socat nc ncat vi vim nvim view ex ed emacs nano less more most man m4",
);
/** They change what later commands of the line mean. */
const ALTERS = list(
  "export declare typeset local readonly set shopt setopt unsetopt unset let read getopts wait vared functions zle",
);
/** Options by which a program runs another. */
const RUNS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--(?:to-c|ch|us|rsh|rmt|info|new|g-).*|-?[a-zA-Z]*[IF][a-zA-Z]*)$/,
  sort: /^(?:-[a-zA-Z]*[oT]|--(?:o|comp|t))/,
  rg: /^--(?:pre|hostname-bin)/,
  fd: /^(?:-[xX]|--exec)/,
  rsync: /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/,
  scp: /^-[So]/,
  sftp: /^-[SDo]/,
  zip: /^(?:-[a-zA-Z]*T|--)/,
  go: /^-?-(?:exec|toolexec|vettool|overlay)/,
  cargo: /^--config/,
  make: /^(?:--ev|-[a-zA-Z]*[EfC]|--(?:file|makefile|dir)|[A-Za-z_]\w*[:+?!]?=)/,
  npm: /^(?:-C|--(?:script-shell|shell|prefix|node-options|git))/,
  pnpm: /^(?:-C|--(?:script-shell|shell-emulator|prefix|node-options|dir))/,
  gcc: /^-(?:wrapper|fplugin|B|specs)/,
  wget: /^--use-askpass/,
};
/** They run a program of a package by its name, as these words and the next say. */
const RUNNERS: readonly RegExp[] = [
  /^(?:npx|bunx|pnpx|uvx)$/,
  /^(?:npm|pnpm|yarn) (?:exec|x|dlx)$/,
  /^bun x$/,
  /^(?:uv|poetry|pipenv|pipx|rye|hatch|pdm) run$/,
  /^bundle exec$/,
];

function runnerInsight(words: readonly Word[]): Insight | undefined {
  const values = words.map(({ value }) => value);
  const length = [1, 2].find((count) => RUNNERS.some((runner) => runner.test(values.slice(0, count).join(" "))));
  if (length === undefined) return undefined;
  const start = words[length]?.value === "--" ? length + 1 : length;
  const program = words[start];
  if (program === undefined || !isKnown(program) || program.value.startsWith("-")) return opaque(words);
  return { told: [{ words: words.slice(start) }], spelled: start + 1, hidden: true };
}

function findInsight(words: readonly Word[]): Insight {
  const inner: NonNullable<Insight["inner"]> = [];
  const writes: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at] ?? { value: "" };
    if (value.startsWith(HOLE) || /^-(?:delete|execdir|okdir)$/.test(value)) return opaque(words);
    if (value === "-exec" || value === "-ok") {
      const end = words.findIndex((word, index) => index > at && (word.value === ";" || word.value === "+"));
      if (end < 0) return opaque(words);
      const own = words.slice(at + 1, end);
      inner.push({ words: own.map((word) => ({ ...word, value: word.value.replaceAll("{}", HOLE) })) });
      at = end;
    } else if (/^-(?:fprint0?|fprintf|fls)$/.test(value)) writes.push(words[at + 1]?.value ?? HOLE);
  }
  return { inner, writes };
}

/** A variable's index, in which a shell runs what is between brackets. */
const INDEX = /\[[^\]]*[$`\0]/;

/** Builtins that take a variable's name, and so an index. */
function indexed(name: string, words: readonly Word[]): boolean {
  if (name === "printf") return /^(?:-v|\0)/.test(words[1]?.value ?? "");
  if (name !== "test" && name !== "[") return false;
  return words.some(({ value }, at) => INDEX.test(value) || (value === "-v" && !isKnown(words[at + 1])));
}

export function insightOf(name: string, words: readonly Word[]): Insight {
  if (name === "git") return gitInsight(words);
  if (name === "find") return findInsight(words);
  if (OPAQUE.has(name) || indexed(name, words)) return opaque(words);
  if (ALTERS.has(name))
    return {
      spelled: words.length + 1,
      hidden: words.some(({ value }) => /[`(]/.test(value) || value.startsWith(HOLE)),
    };
  const runs = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
  if (runs && words.slice(1).some(({ value }) => runs.test(value) || value.startsWith(HOLE))) return opaque(words);
  return runnerInsight(words) ?? wrapperInsight(name, words) ?? scriptInsight(name, words) ?? {};
}
