import type { ParleyClient } from "../../client/index.ts";
import type { Paint } from "../output/terminal.ts";
import { settingLines } from "../trust/setting-lines.ts";
import type { Person } from "./lines.ts";

/** The person who is asked whether a project is trusted; nobody where there is no terminal. */
export interface Asked {
  person: Person;
  paint: Paint;
  signal: AbortSignal;
}

/** Any answer that is no clear yes is a no. */
function isYes(line: string | undefined): boolean {
  return /^\s*y(es)?\s*$/i.test(line ?? "");
}

/** Asks, before an agent starts in a directory, whether it may use what the project's files have it run. */
export async function askTrust(
  client: Pick<ParleyClient, "trust">,
  { directory, agent }: { directory: string; agent: string },
  { person, paint, signal }: Asked,
): Promise<void> {
  const { trusted, settings, warning } = await client.trust.get(directory);
  const used = settings.filter((setting) => setting.agent === agent);
  if (trusted || used.length === 0) return;
  const lines = [
    paint("bold", `? The project in ${directory} brings settings for ${agent}, which can run programs as you:`),
  ];
  lines.push(...settingLines(used), ...(warning === undefined ? [] : [paint("yellow", `  Careful: ${warning}`)]));
  person.tell(`${lines.join("\n")}\n`);
  const without = used.some(({ stopsAgent }) => stopsAgent) ? "this agent is not started here" : "they are left out";
  const answer = await person.ask(`  Trust it, now and later? Without trust ${without}. [y/N] > `, signal);
  if (isYes(answer)) await client.trust.set(directory, true);
}
