import type { KnownEntry } from "./entry.ts";
import { OTHERS } from "./others.ts";
import { PACKAGED } from "./packages.ts";

/** The agents that speak ACP and that Parley knows by name, by their names. */
export const KNOWN: readonly KnownEntry[] = [...PACKAGED, ...OTHERS].sort((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME: ReadonlyMap<string, KnownEntry> = new Map(
  KNOWN.flatMap((entry) => [entry.name, ...(entry.aliases ?? [])].map((name) => [name, entry] as const)),
);

/** By its name or by another one. */
export function knownAgent(name: string): KnownEntry | undefined {
  return BY_NAME.get(name);
}

/** How a person gets its program. */
export function waysTo({ name, npm, get }: KnownEntry): string {
  return npm ? `run "parley install ${name}", or ${get}` : get;
}
