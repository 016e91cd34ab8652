import type { Assignment } from "../shell/word.ts";

/** Variables that make no program run another. */
const HARMLESS_NAME = /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|RUST_BACKTRACE|TZ|LANG|LC_ALL)$/;
/** Variables whose value a shell or another program runs, or by which it finds what it runs. */
const RUN_NAME =
  /^(?:PS[0-9]|.*ENV|(?:BASH|ZSH|ZDOT|LD_|DYLD_|GIT_|npm_config_|NPM_CONFIG_|RUSTC|CARGO_|MAKE|GNUMAKE|PYTHON|PERL|RUBY|JAVA|NODE_).*|PATH|.*_PATH|IFS|SHELL|HOME|XDG_.*|TAR_OPTIONS|LESS.*|CC|CXX|LD|AR|.*(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|COMMAND|CMD|OPTIONS|OPTS|FLAGS|RSH|PROGRAM|WRAPPER))$/;

/** A variable that a rule need not name. */
export function isHarmless({ name, value }: Assignment): boolean {
  return HARMLESS_NAME.test(name) && !value.includes("\0");
}

/** The value of a variable may be run, or decides what is run. */
export function runsValue({ name, value }: Assignment): boolean {
  return !HARMLESS_NAME.test(name) && (RUN_NAME.test(name) || /[`(]/.test(value));
}
