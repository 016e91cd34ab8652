import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AgentInfo, FileName, SlashCommand } from "../../src/client/index.ts";
import { api } from "./api.ts";

const infos = new Map<string, Signal<AgentInfo | undefined>>();

/** What an agent offers in a directory: asked for once, and again after it failed. */
export function agentInfo(agent: string, directory: string): ReadonlySignal<AgentInfo | undefined> {
  const name = `${agent}\n${directory}`;
  const known = infos.get(name);
  if (known) return known;
  const info = signal<AgentInfo | undefined>(undefined);
  infos.set(name, info);
  api.agent(agent, directory).then(
    (found) => {
      info.value = found;
    },
    () => infos.delete(name),
  );
  return info;
}

/** The slash commands of a session; none where they cannot be had. */
export async function commandsOf(session: string): Promise<SlashCommand[]> {
  try {
    return await api.session(session).commands();
  } catch {
    return [];
  }
}

/** The files of a directory whose names fit a word, the best first; none where they cannot be had. */
export async function filesFitting(directory: string, q: string, limit: number): Promise<FileName[]> {
  try {
    return await api.files({ directory, q, limit });
  } catch {
    return [];
  }
}
