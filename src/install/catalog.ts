/** A program that Parley can install: a package of the npm registry whose platform packages hold the program itself. */
export interface Installable {
  package: string;
  /** The version that Parley is tested with. */
  version: string;
  /** The program's name in the search path. */
  program: string;
  /** Where it may be in a platform's package; `*` is one directory of any name. */
  places: readonly string[];
}

export const INSTALLABLE = {
  opencode: { package: "opencode-ai", version: "1.18.33", program: "opencode", places: ["bin/opencode"] },
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.197", program: "claude", places: ["claude"] },
  codex: { package: "@openai/codex", version: "0.166.0", program: "codex", places: ["vendor/*/bin/codex"] },
} as const satisfies Readonly<Record<string, Installable>>;

export type InstallableName = keyof typeof INSTALLABLE;

export const INSTALLABLE_NAMES = Object.keys(INSTALLABLE) as InstallableName[];

/** Points Parley at a program of the user's own. */
export function binaryVariable(name: InstallableName): string {
  return `PARLEY_${name.toUpperCase()}_BIN`;
}
