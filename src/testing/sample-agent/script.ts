import { readFileSync } from "node:fs";
import type { ChildRef } from "../../agents/contract.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Behaviour, Turn } from "./turn.ts";

/** One thing a script does. Nothing is added: a script that says no `turn.finished` never ends its turn. */
export type Step =
  | { signal: Signal; child?: ChildRef }
  | { wait: "answer" | "cancel" | number }
  | { exit: number | NodeJS.Signals }
  | { raw: string; encoding?: BufferEncoding };

/** Steps by marker; `*` serves every prompt whose marker has none. */
export type Script = Readonly<Record<string, readonly Step[]>>;

/** A file holds steps by marker, or one list for every prompt. */
export function loadScript(path: string): Script {
  const value = JSON.parse(readFileSync(path, "utf8")) as Script | readonly Step[];
  return Array.isArray(value) ? { "*": value as readonly Step[] } : (value as Script);
}

async function takeStep(turn: Turn, step: Step): Promise<void> {
  if ("signal" in step) turn.say(step.signal, step.child);
  else if ("raw" in step) turn.wire.raw(Buffer.from(step.raw, step.encoding ?? "utf8"));
  else if ("exit" in step) await leave(turn, step.exit);
  else if (step.wait === "answer") await turn.anyAnswer();
  else if (step.wait === "cancel") await turn.cancelled();
  else await turn.wait(step.wait);
}

/** Ends the program in the middle of whatever it does. */
export async function leave(turn: Turn, how: number | NodeJS.Signals): Promise<void> {
  await turn.wire.flush();
  if (typeof how === "number") turn.wire.leave(how);
  else process.kill(process.pid, how);
  await new Promise(() => {});
}

export function scripted(steps: readonly Step[]): Behaviour {
  return async (turn) => {
    for (const step of steps) await takeStep(turn, step);
    return "said";
  };
}
