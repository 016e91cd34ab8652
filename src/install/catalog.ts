/** A program that Parley can install: a package of the npm registry whose platform packages hold the program itself. */
export interface Installable {
  package: string;
  /** The version that is installed: the newest that Parley is tested with. */
  version: string;
  /** Older versions that the tests of the real program run with, too. */
  older: readonly string[];
  /** The program's name in the search path. */
  program: string;
  /** Where it may be in a platform's package; `*` is one directory of any name. */
  places: readonly string[];
  /** Where its maker's own installer puts it, from the home directory: looked at last, since it may not be in the search path. */
  homePlaces?: readonly string[];
}

export const INSTALLABLE = {
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    older: [],
    program: "opencode",
    places: ["bin/opencode"],
    homePlaces: [".opencode/bin/opencode"],
  },
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    older: ["2.1.197"],
    program: "claude",
    places: ["claude"],
  },
  codex: { package: "@openai/codex", version: "0.166.0", older: [], program: "codex", places: ["vendor/*/bin/codex"] },
} as const satisfies Readonly<Record<string, Installable>>;

export type InstallableName = keyof typeof INSTALLABLE;

export const INSTALLABLE_NAMES = Object.keys(INSTALLABLE) as InstallableName[];

/** The versions of a program that Parley is tested with, the newest first. */
export function testedVersions(name: InstallableName): string[] {
  const { version, older }: Installable = INSTALLABLE[name];
  return [version, ...older];
}

/** Points Parley at a program of the user's own. */
export function binaryVariable(name: InstallableName): string {
  return `PARLEY_${name.toUpperCase()}_BIN`;
}
