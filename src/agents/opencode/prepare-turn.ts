import { homedir } from "node:os";
import type { Signal } from "../../core/ledger/signals.ts";
import type { OpenOptions } from "../contract.ts";
import { assertAllowed, type CalledCommand } from "./commands.ts";
import { namedFiles } from "./named-files.ts";
import { needsGate } from "./rulesets.ts";
import type { Running } from "./running.ts";
import type { SessionOptions } from "./session-options.ts";

export const IN_PART: Signal = {
  type: "note",
  level: "warn",
  code: "rules_in_part",
  text: "Rules of this session bind less on a server that Parley did not start: OpenCode asks there for all but commands without a command word (> file), custom tools, and what it was told to allow always. Leave --opencode-url out where they must hold.",
};

export interface Preparation {
  running: Running;
  /** The command that the prompt calls. */
  command: CalledCommand | undefined;
  options: Pick<SessionOptions, "assertHarmless" | "gate">;
  open: OpenOptions;
  mode: string | undefined;
  /** The server is one on which the session's rules bind in part. */
  onPart(): void;
}

/** Puts the session's rules in force before a turn. Rejects where they cannot hold. */
export async function prepareTurn({ running, command, options, open, mode, onPart }: Preparation): Promise<void> {
  const { id, lease, rules, follower, guard } = running;
  const { directory, trusted, hasRules = () => false, rules: ruled = () => [] } = open;
  const { server } = lease;
  if (!trusted) await options.assertHarmless(directory);
  if (needsGate(ruled())) {
    if (server.own) await options.gate?.untilIn(server.gate, directory);
    else onPart();
  }
  if (command && hasRules()) {
    const hear = { line: (line: string) => guard.line(id, line), file: (path: string) => guard.file(id, path) };
    await assertAllowed(command, namedFiles(command.text, directory, homedir()), server.gate !== undefined, hear);
  }
  if (!follower.hasWorked) await rules.give(command?.agent ?? mode);
}
