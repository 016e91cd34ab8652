import assert from "node:assert/strict";
import fc from "fast-check";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { lineVerdict } from "../../../src/core/permissions/command-verdict.ts";
import { Box, type Ran, SHELLS } from "./box.ts";
import { randomLine } from "./random-lines.ts";
import { rules } from "./rule-sets.ts";

export interface Law {
  allows(line: string): boolean;
  /** Why what ran is not what was allowed. */
  broken(ran: Ran): string | undefined;
}

function byRules(set: readonly PermissionRule[]): Law["allows"] {
  return (line) => lineVerdict(set, { action: "bash", line, directory: "/project" }) === "allow";
}

/** Everything that changes what a shell means by a word is allowed, but not the programs that it could be made to run. */
const NAMED = [
  ..."ls cat echo env xargs timeout nice nohup find bash sh eval command exec cd true printf [ test export alias read trap".split(
    " ",
  ),
  ..."set hash unset time grep wc builtin declare let mapfile compgen source .".split(" "),
];

export const NAMED_ONLY: Law = {
  allows: byRules([
    ...rules("bash", "allow", "git status *", ...NAMED.map((name) => `${name} *`)),
    ...rules("edit", "allow", "ok/*"),
  ]),
  broken({ programs, files }) {
    const program = programs.find((one) => {
      const [name = "", word] = one.split(" ");
      return name === "git" ? word !== "status" : !NAMED.includes(name);
    });
    const file = files.find((path) => !path.startsWith("ok"));
    return program ?? file;
  },
};

export const ALL_BUT_TOUCH: Law = {
  allows: byRules([...rules("bash", "allow", "*"), ...rules("bash", "deny", "touch *")]),
  broken: ({ programs }) => programs.find((one) => one.startsWith("touch")),
};

/** Draws lines, and runs those that are allowed in every shell there is. Returns how many ran and the first that broke the law. */
export async function tryLines(
  law: Law,
  { lines, seed }: { lines: number; seed: number },
): Promise<{ ran: number; broken?: string }> {
  const drawn = new Set(fc.sample(randomLine, { numRuns: lines, seed }));
  const allowed = [...drawn].filter(law.allows);
  const box = new Box();
  try {
    for (const line of allowed)
      for (const shell of SHELLS) {
        const broken = law.broken(await box.run(shell, line));
        if (broken !== undefined)
          return { ran: allowed.length, broken: `${shell} ran ${broken} in ${JSON.stringify(line)}` };
      }
  } finally {
    box.close();
  }
  assert.ok(SHELLS.length > 0, "expected a shell in the search path");
  return { ran: allowed.length };
}
