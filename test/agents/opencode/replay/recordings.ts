import { existsSync, readFileSync } from "node:fs";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { Recordings } from "../../replay/recording.ts";
import type { Kept } from "./recorded-server.ts";

export const recordings = new Recordings("opencode-agent");

/** The answers of the REST API after a recording. */
export interface Rest {
  session: Fields;
  messages: Kept[];
  status: Record<string, Fields>;
  children?: Fields[];
  todo?: Fields[];
  permissions: Fields[];
  questions?: Fields[];
  /** Those of sub-agents, by their sessions. */
  childMessages?: Record<string, Kept[]>;
}

/** Absent where they were not recorded. */
export function restAfter(name: string): Rest | undefined {
  const file = new URL(`../../../golden/opencode-agent/${name}.rest.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Rest) : undefined;
}
