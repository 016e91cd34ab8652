import type { SlashCommand } from "../../src/client/index.ts";
import type { PromptPart } from "../../src/core/events/values.ts";

/** A file that goes with a prompt, with its content. */
export interface Attachment {
  name: string;
  mime: string;
  /** A data: URL. */
  url: string;
  size: number;
}

/** A request has 10 MiB at most, and base64 makes four bytes of three. */
export const MAX_ATTACHED = 7_000_000;

/** What a text is about to become. */
export type Sending =
  | { kind: "shell"; command: string }
  | { kind: "compact" }
  | { kind: "command"; name: string; words: string; parts: PromptPart[] }
  | { kind: "prompt"; parts: PromptPart[] };

/** A place in a text at which names are offered. */
export interface Completing {
  kind: "command" | "file";
  /** The word without its sign, and where the word begins and ends. */
  word: string;
  from: number;
  to: number;
}

/** The word under the cursor that names can complete: a slash command at the beginning, a file behind an @ anywhere. */
export function completingAt(text: string, cursor: number): Completing | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) return { kind: "command", word: command[1] ?? "", from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  const word = file[1] ?? "";
  return { kind: "file", word, from: cursor - word.length - 1, to: cursor };
}

/** The text with a completed word, and the cursor behind it. */
export function complete(text: string, { kind, from, to }: Completing, name: string, goesOn = false) {
  const word = `${kind === "command" ? "/" : "@"}${name}${goesOn ? "" : " "}`;
  const rest = text.slice(to);
  const after = word.endsWith(" ") ? rest.replace(/^ /, "") : rest;
  return { text: text.slice(0, from) + word + after, cursor: from + word.length };
}

/** The commands that fit a word, those that begin with it first. */
export function fittingCommands(commands: readonly SlashCommand[], word: string): SlashCommand[] {
  const wanted = word.toLowerCase();
  const rank = ({ name }: SlashCommand): number => {
    const at = name.toLowerCase().indexOf(wanted);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  return commands.filter((one) => Number.isFinite(rank(one))).sort((a, b) => rank(a) - rank(b));
}

/** The files that a text names by an @, of those that a person chose. */
export function mentioned(text: string, chosen: readonly string[]): string[] {
  const words = new Set([...text.matchAll(/(?:^|\s)@(\S+)/g)].map((found) => found[1]));
  return chosen.filter((path) => words.has(path));
}

interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** Paths that a person chose behind an @. */
  files: readonly string[];
}

/** What a draft becomes when it is sent; undefined for one that says nothing. */
export function sendingOf(
  { text, attachments, files }: Draft,
  { commands, compacts }: { commands: readonly SlashCommand[]; compacts: boolean },
): Sending | undefined {
  const said = text.trim();
  if (said.startsWith("!") && said.length > 1 && attachments.length === 0)
    return { kind: "shell", command: said.slice(1).trim() };
  const extra: PromptPart[] = [
    ...mentioned(text, files).map((path): PromptPart => ({ type: "file", path })),
    ...attachments.map(({ name, mime, url }): PromptPart => ({ type: "file", url, mime, name })),
  ];
  const slash = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(said);
  const name = slash?.[1] ?? "";
  if (slash && commands.some((one) => one.name === name))
    return { kind: "command", name, words: slash[2] ?? "", parts: extra };
  if (name === "compact" && compacts) return { kind: "compact" };
  const parts: PromptPart[] = [...(said === "" ? [] : [{ type: "text" as const, text: text.trim() }]), ...extra];
  return parts.length === 0 ? undefined : { kind: "prompt", parts };
}
