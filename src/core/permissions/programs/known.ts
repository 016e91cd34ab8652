import { HOLE } from "../glob.ts";
import { isKnown, type Word } from "../shell/word.ts";
import { gitInsight } from "./git.ts";
import { type Insight, opaque } from "./insight.ts";
import { scriptInsight } from "./scripts.ts";
import { runsValue } from "./variables.ts";
import { wrapperInsight } from "./wrappers.ts";

function list(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** They run text or programs that are not looked through. */
const OPAQUE = list(
  "source . trap alias unalias hash enable bind complete compgen compopt mapfile readarray fc jobs sched autoload zmodload emulate " +
    "repeat noglob nocorrect - coproc su runuser pkexec chroot nsenter unshare script flock strace ltrace gdb perf parallel " +
    "watch entr at batch crontab systemd-run busybox toybox rlwrap expect screen tmux start-stop-daemon proot fakeroot direnv " +
    "chrt taskset setarch prlimit setpriv choom uclampset numactl cgexec bwrap firejail unbuffer chronic ifne valgrind hyperfine " +
    "ssh-agent dbus-run-session dbus-launch xvfb-run run-parts sg newgrp gosu su-exec capsh tini dumb-init coreutils ld.so " +
    "sqlite3 psql mysql dc Rscript R julia tclsh wish expectk gnuplot octave ghc runghc groovy scala clojure erl elixir iex guile racket " +
    "sbcl swipl ocaml jshell cmake ctest nodemon watchexec concurrently " +
    "nix-shell fish csh tcsh pwsh xonsh nu elvish ssh socat nc ncat vi vim nvim view ex ed emacs nano less more most man m4",
);
/** They change what later commands of the line mean. */
const ALTERS = list(
  "export declare typeset local readonly set shopt setopt unsetopt unset let read getopts wait vared functions zle",
);
/** Options, and their beginnings, by which the managers of Node's packages run a program, read other settings or work elsewhere. */
const NODE_PACKAGES = /^(?:-C$|--(?:scr|she|prefi|nod|git?(?:$|=)|userc|globalc|dir(?:$|=)|cwd|use-yarnrc))/;
const GRADLE = /^-[IpbcDP]|^--(?:init|project-dir|build-file|settings|include)/;
const MAVEN = /exec|antrun|gmaven|^-[fs]|^--(?:file|settings)/;
/** Options by which a program runs another. */
const RUNS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--(?:to-c|ch|us|rs|rm|inf|new|g-)|-[a-zA-Z]*[IF]|[a-zA-Z]*[IF][a-zA-Z]*$)/,
  sort: /^(?:-[a-zA-Z]*[oT]|--(?:o|co|t))/,
  split: /^--f/,
  install: /^--strip-/,
  cpio: /^--rs/,
  bat: /^--pager/,
  ag: /^--pager/,
  rg: /^--(?:pre|hostname-bin)/,
  fd: /^(?:-[a-zA-Z]*[xX]|--exec)/,
  rsync: /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/,
  scp: /^-[So]/,
  sftp: /^-[SDo]/,
  zip: /^(?:-[a-zA-Z]*T|--)/,
  go: /^-?-(?:exec|toolexec|vettool|overlay|C$|modfile|w$)|-extld/,
  cargo: /^--(?:config|manifest)/,
  make: /^(?:--ev|-[a-zA-Z]*[EfC]|--(?:f|m|di))|^[^-][^=]*=/,
  just: /^-|=/,
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  bun: NODE_PACKAGES,
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  dotnet: /^(?:[-/]{1,2}[a-zA-Z]+:|-p$|--property)/,
  kubectl: /^--kubeconfig/,
  pylint: /^--(?:init|load)/,
  mypy: /^--python-e/,
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

/** They run what their words say once these are settled: an option may stand before the word that says what is done. */
const MANAGERS = /^(?:npm|pnpm|yarn|bun|uv|poetry|pipenv|pipx)$/;
const MANAGED = /^(?:explore|config|set|init|create|edit)$/;

function runnerInsight(name: string, words: readonly Word[]): Insight | undefined {
  const values = [name, ...words.slice(1).map(({ value }) => value)];
  const [, first = ""] = values;
  if (MANAGERS.test(name) && (first.startsWith("-") || MANAGED.test(first)))
    return words.length === 2 && /^--?(?:version|help|[vh])$/.test(first) ? {} : opaque(words);
  const length = [1, 2].find((count) => RUNNERS.some((runner) => runner.test(values.slice(0, count).join(" "))));
  if (length === undefined) {
    // These run a program where they know no command and no script of that name.
    const own = words.slice(first === "run" ? 2 : 1);
    return /^(?:pnpm|yarn|bun)$/.test(name) && own.length > 0 ? { told: [{ words: own }] } : undefined;
  }
  const start = words[length]?.value === "--" ? length + 1 : length;
  const program = words[start];
  if (program === undefined || !isKnown(program) || program.value.startsWith("-")) return opaque(words);
  return { told: [{ words: words.slice(start) }], spelled: start + 1, hidden: true };
}

/** A plus ends a command of `find` only behind a pair of braces. */
function endsExec(words: readonly Word[], at: number): boolean {
  return words[at]?.value === ";" || (words[at]?.value === "+" && words[at - 1]?.value === "{}");
}

function findInsight(words: readonly Word[]): Insight {
  const inner: NonNullable<Insight["inner"]> = [];
  const writes: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at] ?? { value: "" };
    if (value.startsWith(HOLE) || /^-(?:delete|execdir|okdir)$/.test(value)) return opaque(words);
    if (value === "-exec" || value === "-ok") {
      const begin = at + 1;
      while (at < words.length && !endsExec(words, at)) at++;
      if (at === words.length) return opaque(words);
      const own = words.slice(begin, at);
      inner.push({ words: own.map((word) => ({ ...word, value: word.value.replaceAll("{}", HOLE) })) });
    } else if (/^-(?:fprint0?|fprintf|fls)$/.test(value)) writes.push(words[at + 1]?.value ?? HOLE);
  }
  return { inner, writes };
}

/** A variable's index, in which a shell runs what is between brackets. */
const INDEX = /\[[\s\S]*[$`\0]/;
/** Builtins that work out numbers, in some shells with whatever a variable's index says. */
const NUMBERS = list("test [ printf exit return shift break continue kill ulimit umask");

/** Builtins that take a variable's name, and so an index. */
function indexed(name: string, words: readonly Word[]): boolean {
  if (name === "printf" && /^(?:-v|\0)/.test(words[1]?.value ?? "")) return true;
  if (!NUMBERS.has(name)) return false;
  return words.some(
    ({ value }, at) => INDEX.test(value) || (name !== "printf" && value === "-v" && !isKnown(words[at + 1])),
  );
}

/** GNU's programs have a `g` before their name where the system has others of the same name. */
const GNU = /^g(?=(?:env|find|install|make|nice|nohup|printf|sort|split|stdbuf|tar|test|timeout|xargs|\[)$)/;

/** A word of `export` and the like by which something may be run. */
function mayRun({ value }: Word): boolean {
  const [, variable = "", text = ""] = /^(\w+)\+?=([\s\S]*)$/.exec(value) ?? [];
  return /[`(]/.test(value) || value.startsWith(HOLE) || runsValue({ name: variable, value: text });
}

export function insightOf(called: string, words: readonly Word[]): Insight {
  const name = called.replace(GNU, "");
  if (name === "git") return gitInsight(words);
  if (name === "find") return findInsight(words);
  if (OPAQUE.has(name) || indexed(name, words)) return opaque(words);
  if (ALTERS.has(name)) return { spelled: words.length + 1, hidden: words.some(mayRun) };
  if (/^ld-.*\.so/.test(name)) return opaque(words);
  const runs = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
  if (runs && words.slice(1).some(({ value }) => runs.test(value) || value.startsWith(HOLE))) return opaque(words);
  return runnerInsight(name, words) ?? wrapperInsight(name, words) ?? scriptInsight(name, words) ?? {};
}
