import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { type OpenOptions, ResumeLost } from "../contract.ts";
import { hookConfig } from "./calls/hook.ts";
import { readPast } from "./past.ts";
import { isLost, openingOf } from "./resumption.ts";
import type { Rpc } from "./rpc.ts";
import { threadParams } from "./thread-params.ts";
import { trustConfig } from "./trust.ts";

export interface OpenedThread {
  id: string;
  /** It had turns before. */
  resumed: boolean;
  /** The program's account of it, and of its own configuration. */
  thread: Fields;
  config: Fields;
  /** The conversation so far, where it is wanted. */
  past: Signal[];
}

/** Opens a session's thread: a new one, the one of before, or a copy. Rejects with `ResumeLost` where the program does not know it. */
export async function openThread(rpc: Rpc, open: OpenOptions, ruled: boolean): Promise<OpenedThread> {
  const { directory, trusted, resume, tellPast } = open;
  const opening = openingOf(resume);
  const overrides = { ...trustConfig(directory, trusted), ...hookConfig(ruled) };
  const [own, { result: thread, error }] = await Promise.all([
    // The configuration of a project counts only where it is trusted.
    rpc.ask("config/read", trusted ? { cwd: directory } : {}),
    rpc.ask(opening.method, threadParams(opening, open, overrides)),
  ]);
  const id = textIn(fieldsIn(thread ?? {}, "thread"), "id");
  if (!thread || id === undefined) {
    if (resume !== undefined && isLost(error ?? "")) throw new ResumeLost(resume);
    throw new Error(`it could not open the session: ${error ?? "it told no thread"}`);
  }
  const resumed = opening.method !== "thread/start";
  const past = resumed && tellPast ? await readPast(rpc, id, directory) : [];
  return { id, resumed, thread, config: fieldsIn(own.result ?? {}, "config"), past };
}
