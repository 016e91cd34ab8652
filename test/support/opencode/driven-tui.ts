import type { TestContext } from "node:test";
import { eventually } from "../eventually.ts";
import { OpencodeClient } from "../opencode.ts";
import { PATIENCE_MS } from "../time.ts";
import { type AttachOptions, startTui } from "./clients.ts";
import { Surroundings } from "./surroundings.ts";
import type { Tui } from "./tui.ts";

/** The status line of a session at work. */
const WORKING = /esc (again to )?interrupt/;

/** The real interface with the words of a person who uses it. */
export interface DrivenTui extends Tui {
  /** Types a prompt or a slash command and sends it. */
  send(text: string): Promise<void>;
  /** Resolves with the screen when nothing works any more. */
  idle(): Promise<string>;
}

export function driven(tui: Tui): DrivenTui {
  return {
    ...tui,
    async send(text) {
      tui.type(text);
      await tui.waitFor(text);
      tui.press("enter");
    },
    idle: () => tui.waitUntilGone(WORKING),
  };
}

/** Attaches the real interface to a server; it shows the prompt of a new session, unless the arguments name another. */
export async function attachTui(
  t: TestContext,
  options: Omit<AttachOptions, "surroundings"> & { cols?: number; rows?: number; shows?: string | RegExp },
): Promise<DrivenTui> {
  const surroundings = new Surroundings();
  t.after(() => surroundings[Symbol.dispose]());
  const tui = driven(startTui({ cols: 110, rows: 44, ...options, surroundings }));
  t.after(() => tui.close());
  await tui.waitFor(options.shows ?? "Ask anything", PATIENCE_MS);
  return tui;
}

/** Resolves when an agent is the one that an interface begins with: some take seconds to tell of themselves. */
export async function untilChosen(url: string, agent: string): Promise<void> {
  const client = new OpencodeClient(url);
  const model = async (): Promise<string> => (await client.get<{ model: string }>("/config")).model;
  await eventually(`${agent} is the first provider`, async () => (await model()).startsWith(`${agent}/`));
}
