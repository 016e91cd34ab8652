import { HOLE } from "../glob.ts";
import { isKnown, isOne, mayBeOption, type Word } from "../shell/word.ts";
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
    "linux32 linux64 i386 i686 x86_64 uname26 dotenv caffeinate ssh-agent dbus-run-session dbus-launch xvfb-run run-parts sg newgrp gosu su-exec capsh tini dumb-init coreutils ld.so " +
    "sqlite3 psql mysql dc Rscript R julia tclsh wish expectk gnuplot octave ghc runghc groovy scala clojure erl elixir iex guile racket " +
    "sbcl swipl ocaml jshell cmake ctest nodemon watchexec concurrently " +
    "nix-shell fish csh tcsh pwsh xonsh nu elvish ssh sftp ftp lftp telnet socat nc ncat vi vim nvim view ex ed emacs nano less more most man m4",
);
/** They change what later commands of the line mean. */
const ALTERS = list(
  "export declare typeset local readonly set shopt setopt unsetopt unset let read getopts wait vared functions zle",
);
/** Options, and their beginnings, by which the managers of Node's packages run a program, read other settings or work elsewhere. */
const NODE_PACKAGES =
  /^-+(?:[a-zA-Z]*C(?:$|=)|(?:scr|she|prefi|nod|git?(?:$|=)|userc|globalc|dir(?:$|=)|cwd|use-yarnrc))/;
const GRADLE = /^-[IpbcDP]|^--(?:init|project-dir|build-file|settings|include)/;
const MAVEN = /exec|antrun|gmaven|^-[fs]|^--(?:file|settings)/;
/** Options by which a program runs another. */
const RUNS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--(?:to-c|ch|us|rs|rm|inf|new|g-)|-[a-zA-Z]*[IF]|[a-zA-Z]*[IF][a-zA-Z]*$)/,
  sort: /^(?:-[a-zA-Z\d]*[oT]|--(?:o|co|t))/,
  split: /^--f/,
  install: /^--strip-/,
  cpio: /^--rs/,
  bat: /^--pager/,
  ag: /^--pager/,
  rg: /^--(?:pre|hostname-bin)/,
  fd: /^(?:-[a-zA-Z\d]*[xX]|--exec)/,
  rsync: /^(?:-[a-zA-Z\d]*e|--(?:rsh|rsync-p))/,
  scp: /^-[a-zA-Z\d]*[SoFD]/,
  zip: /^-(?:[^-]*T|-)/,
  go: /^-?-(?:exec|toolexec|vettool|overlay|modfile|[Cw](?:$|=))|-extld/,
  cargo: /^--(?:config|manifest)/,
  make: /^(?:--ev|-[a-zA-Z\d]*[EfCI]|--inc|--(?:f|m|di))|^[^-][^=]*=/,
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
  gcc: /^(?:@|-{1,2}(?:wrapper|fplugin|B|specs|sysroot|Xlinker|fuse-ld(?!=(?:lld|mold|bfd|gold)$)|ld-path|load)|-Wl,.*plugin)/,
  wget: /^(?:--(?:use-a|ex|conf)|-[bcdhFHKkLmNnpqrSxvVE46]*e)/,
  pytest: /^(?:--(?:trace|pdb|override-ini|config-file)|-[oc])/,
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
/** Their first word says whether they run a program. */
const DECIDED = /^(?:npm|pnpm|yarn|bun|uv|poetry|pipenv|pipx|rye|hatch|pdm|bundle)$/;
/** They run a program behind one of these words, wherever it stands. */
const LAUNCHERS = /^(?:pyenv|rbenv|nodenv|asdf|mise|fnm|nvm|lerna|nx|conda|mamba|volta|op|rustup)$/;
const MANY_PLACES = /^(?:recursive|multi|m|workspaces?)$/;

function launches(name: string, words: readonly Word[]): boolean {
  const has = (pattern: RegExp): boolean => words.slice(1).some(({ value }) => pattern.test(value));
  if (LAUNCHERS.test(name)) return has(name === "nx" ? /^exec$/ : /^(?:exec|run|x)$/);
  return /^(?:pnpm|yarn)$/.test(name) && MANY_PLACES.test(words[1]?.value ?? "") && has(/^(?:exec|dlx|x|foreach)$/);
}

const MANAGED = /^(?:explore|config|set|init|create|edit|pkg)$/;
/** Commands of npm that run nothing but scripts of packages. It takes the beginning of any other for the whole, too. */
const NPM = list(
  "test t tst run run-script start stop restart install i ci clean-install install-test it add uninstall un remove rm r update " +
    "up upgrade dedupe prune rebuild rb link ln ls list ll la outdated view v info show audit version root prefix bin ping " +
    "whoami search why explain fund pack publish help exec x cache query doctor sbom diff owner dist-tag login logout unlink cit",
);

/** A program that runs others: by its words, or by its input where it has none. The name alone is a script's more often. */
function runsMore(words: readonly Word[]): boolean {
  const name = words[0]?.value ?? "";
  const { hidden, inner, lines } = insightOf(name, words);
  const more = hidden === true || inner !== undefined || lines !== undefined;
  return more && (words.length > 1 || scriptInsight(name, words) !== undefined);
}

function runnerInsight(name: string, words: readonly Word[]): Insight | undefined {
  const values = [name, ...words.slice(1).map(({ value }) => value)];
  const [, first = ""] = values;
  if ((DECIDED.test(name) && words[1] && !isKnown(words[1])) || launches(name, words)) return opaque(words);
  if (name === "npm" && first !== "" && !first.startsWith("-") && !NPM.has(first)) return opaque(words);
  if (MANAGERS.test(name) && (first.startsWith("-") || MANAGED.test(first)))
    return words.length === 2 && /^--?(?:version|help|[vh])$/.test(first) ? {} : opaque(words);
  const length = [1, 2].find((count) => RUNNERS.some((runner) => runner.test(values.slice(0, count).join(" "))));
  if (length === undefined) {
    // These run a program where they know no command and no script of that name.
    const own = words.slice(first === "run" ? 2 : 1);
    if (!/^(?:pnpm|yarn|bun)$/.test(name) || own.length === 0) return undefined;
    return { told: [{ words: own }], ...(runsMore(own) && { spelled: words.length - own.length + 1, hidden: true }) };
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

/** A word that only the shell will know may be the end of a command of `find`. */
function mayEndExec(word: Word): boolean {
  return word.splits === true || (word.value.includes(HOLE) && /^[\0;+{}]*$/.test(word.value));
}

function findInsight(words: readonly Word[]): Insight {
  const inner: NonNullable<Insight["inner"]> = [];
  const writes: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at] ?? { value: "" };
    const word = words[at];
    if ((word && mayBeOption(word)) || /^-(?:D|delete|execdir|okdir)$/.test(value)) return opaque(words);
    if (value === "-exec" || value === "-ok") {
      const begin = at + 1;
      while (at < words.length && !endsExec(words, at)) at++;
      if (at === words.length) return opaque(words);
      const own = words.slice(begin, at);
      if (own.some(mayEndExec)) return opaque(words);
      inner.push({ words: own.map((word) => ({ ...word, value: word.value.replaceAll("{}", HOLE) })) });
    } else if (/^-(?:fprint0?|fprintf|fls)$/.test(value)) writes.push(words[at + 1]?.value ?? HOLE);
  }
  return { inner, writes };
}

/** A variable's index, in which a shell runs what is between brackets. */
const INDEX = /\[[\s\S]*[$`\0]/;
/** Builtins that work out numbers, in some shells with whatever a variable's index says. */
const NUMBERS = list("test [ printf exit return shift break continue kill ulimit umask");

const COMPARES = /^(?:[=<>]|==|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o))$/;

/** Whether `test` may look for a variable, whose name may have an index: `-v name`. */
function mayAskIndex(word: Word, next: Word | undefined): boolean {
  if (word.value === "-v") return !isKnown(next) || next?.value.includes("[") === true;
  if (!isOne(word) || /^-[\s\S]*\0/.test(word.value)) return true;
  return word.value.startsWith(HOLE) && next !== undefined && next.value !== "]" && !COMPARES.test(next.value);
}

/** Builtins that take a variable's name, and so an index. */
function indexed(name: string, words: readonly Word[]): boolean {
  if (name === "printf") {
    const [, format] = words;
    if (format && (format.value.startsWith("-v") || mayBeOption(format))) return true;
    // A format may set a variable, too.
    const mayCount = ({ value }: Word): boolean => /%[^%a-mo-zA-Z]*[hlLqjzt]*n/.test(value);
    if (words.some(mayCount) || (words.length > 2 && !isKnown(format))) return true;
  }
  if (!NUMBERS.has(name)) return false;
  return words.some(
    (word, at) => INDEX.test(word.value) || (/^(?:test|\[)$/.test(name) && mayAskIndex(word, words[at + 1])),
  );
}

/** Programs for which it counts what stands behind the sign of an option. */
const VALUES_COUNT = list("go gcc mvn mvnw gradle gradlew dotnet");

function hidesValue(name: string, { value }: Word): boolean {
  return VALUES_COUNT.has(name) && value.startsWith("-") && value.includes(HOLE);
}

/** Compilers, by all of their names: `x86_64-linux-gnu-gcc-12` is one. */
const COMPILER = /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|gfortran)(?:-[\d.]+)?$/;

/** GNU's programs have a `g` before their name where the system has others of the same name. */
const GNU = /^g(?=(?:env|find|install|make|nice|nohup|printf|sort|split|stdbuf|tar|test|timeout|xargs|\[)$)/;

/** A word of `export` and the like by which something may be run. */
function mayRun({ value }: Word): boolean {
  const [, variable = "", text = ""] = /^(\w+)\+?=([\s\S]*)$/.exec(value) ?? [];
  return /[`(]/.test(value) || value.startsWith(HOLE) || runsValue({ name: variable, value: text });
}

export function insightOf(called: string, words: readonly Word[]): Insight {
  const name = called.replace(GNU, "").replace(COMPILER, "gcc");
  if (name === "git") return gitInsight(words);
  if (name === "find") return findInsight(words);
  if (OPAQUE.has(name) || indexed(name, words)) return opaque(words);
  if (ALTERS.has(name)) return { spelled: words.length + 1, hidden: words.some(mayRun) };
  if (/^ld-.*\.so/.test(name)) return opaque(words);
  // Its addresses are often in variables: those are not held against it.
  if (name === "curl" && words.some(({ value }) => /^(?:--(?:eng|conf)|-[a-zA-Z\d#]*K)/.test(value)))
    return opaque(words);
  const runs = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
  if (runs && words.slice(1).some((word) => runs.test(word.value) || mayBeOption(word) || hidesValue(name, word)))
    return opaque(words);
  const dashes = words.findIndex(({ value }) => value === "--");
  if (name === "make" && dashes > 0 && words.slice(dashes).some(({ value }) => value.includes("=")))
    return opaque(words);
  return runnerInsight(name, words) ?? wrapperInsight(name, words) ?? scriptInsight(name, words) ?? {};
}
