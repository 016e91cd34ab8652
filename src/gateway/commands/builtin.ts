import type { SlashCommand } from "./slash-command.ts";

const INIT = `Write AGENTS.md for this project: what somebody who works on it for the first time cannot see at a glance.

Look before you write: the README, the manifests and lock files, the configuration of build, tests, linters and CI, existing notes for agents
(AGENTS.md, CLAUDE.md, .cursorrules, .github/copilot-instructions.md), and some of the source where those leave questions.

Worth a line:
- the exact commands to build, to run all tests and to run one of them
- how the parts fit together, where a file's name does not tell
- habits of this project that differ from what is usual for its language
- traps: order of steps, needed services, generated files, things that look wrong and are right

Leave out what every project has, what you could not check, and lists of files. Short sections, short lines.
If there is an AGENTS.md already, keep what is still true, mend what is not, add what is missing.

$ARGUMENTS`;

const REVIEW = `Review changes to this project and say what is wrong with them.

What to review: $ARGUMENTS

Nothing named means what is not committed yet: \`git status --short\`, \`git diff\`, \`git diff --cached\`, and the whole of new files. A commit means
\`git show\`, a branch means \`git diff branch...HEAD\`, a pull request means what \`gh pr diff\` shows.

Read the files around each change: a diff alone does not show what breaks elsewhere. Look first for behaviour that is wrong (conditions, limits,
errors that get lost, data that is let through), then for what does not fit the code around it, then for needless cost.
Name file and line, say in which case it goes wrong and how sure you are. Do not praise, do not list matters of taste, do not change anything.
If nothing is wrong, say so in one sentence.`;

/** The commands that every directory has. */
export const BUILT_IN: readonly SlashCommand[] = [
  { name: "init", description: "write or mend AGENTS.md for this project", template: INIT },
  {
    name: "review",
    description: "review changes: a commit, a branch, a pull request, or what is not committed",
    template: REVIEW,
  },
];
