import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ParleyClient } from "../../src/client/index.ts";
import type { Signal } from "../../src/core/ledger/signals.ts";
import type { Step } from "../../src/testing/sample-agent/script.ts";

/** Sessions that were at work on many days. */
const PAST = [
  { title: "Write the release notes", agent: "claude", model: "claude-opus-4-5", project: "date-tools" },
  { title: "Speed up the product list", agent: "codex", model: "gpt-5.2-codex", project: "webshop" },
  { title: "Group bookings by month", agent: "opencode", model: "claude-sonnet-4-5", project: "ledger" },
] as const;

const DAYS = 20;

/** The steps of `[[past]]`: a turn that says little and used something. */
export function pastSteps(agent: string): Step[] {
  const past = PAST.find((one) => one.agent === agent);
  if (!past) return [];
  const input = 9_000 + past.title.length * 300;
  const tokens = { input, cacheRead: input * 9, cacheWrite: input * 2, output: input / 3, reasoning: input / 20 };
  const signals: Signal[] = [
    { type: "session", model: past.model },
    { type: "text.done", item: "past", kind: "message", role: "assistant", text: "Done for today." },
    { type: "turn.finished", reason: "end_turn", usage: { tokens, cost: input / 30_000 } },
  ];
  return signals.map((signal) => ({ signal }));
}

/** Works on each of the last days. `setDay` makes it so many days ago. */
export async function playPast(client: ParleyClient, directory: string, setDay: (ago: number) => void): Promise<void> {
  setDay(DAYS);
  const sessions = await Promise.all(
    PAST.map(async ({ title, agent, project }) => {
      const path = join(directory, project);
      await mkdir(path, { recursive: true });
      return client.session(await client.sessions.create({ title, agent, directory: path }));
    }),
  );
  for (let ago = DAYS; ago > 0; ago--) {
    setDay(ago);
    if (ago % 7 > 4) continue;
    for (const [at, session] of sessions.entries()) {
      const turns = (ago * 5 + at * 3) % 4;
      for (let turn = 0; turn < turns; turn++)
        for await (const event of session.run("[[past]] Go on"))
          if (event.type === "error") throw new Error("it failed");
    }
  }
  setDay(0);
}
