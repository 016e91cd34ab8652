import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { present } from "../../core/json/fields.ts";
import type { ProjectSetting } from "../../core/trust.ts";
import { realInside } from "../../host/files/inside.ts";
import { parseJsonc, smallFileInside } from "../../host/files/jsonc-file.ts";
import { walk } from "../../host/files/walk.ts";
import type { SlashCommand } from "./slash-command.ts";
import { fill, shellsIn } from "./template.ts";

/** Folders of commands. A command of a later folder replaces one of the same name. */
const FOLDERS = [".claude/commands", ".opencode/commands", ".opencode/command"];
export const CONFIGS = ["opencode.json", "opencode.jsonc"];
const MAX_FILES = 500;

const facts = z.object({
  description: z.string().optional().catch(undefined),
  agent: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  subtask: z.boolean().optional().catch(undefined),
});
const configured = z.object({
  command: z.record(z.string(), facts.extend({ template: z.string() }).nullish().catch(undefined)),
});

function commandOf(name: string, template: string, known: z.output<typeof facts>, file: string): SlashCommand {
  const { description, agent: mode, model, subtask } = known;
  return { name, template, file, ...present({ description, mode, model, subtask }) };
}

/** Splits a command's file into the facts between two lines of dashes at its beginning, and the body. */
export function splitFrontmatter(text: string): { known: z.output<typeof facts>; body: string } {
  const found = /^---\r?\n(?:(.*?)\r?\n)?---[ \t]*(?:\r?\n(.*))?$/s.exec(text);
  if (!found) return { known: {}, body: text.trim() };
  let known: unknown;
  try {
    known = parseYaml(found[1] ?? "");
  } catch {
    // A command whose facts cannot be read still has its body.
  }
  return { known: facts.safeParse(known).data ?? {}, body: (found[2] ?? "").trim() };
}

async function fromFolder(directory: string, folder: string): Promise<SlashCommand[]> {
  const root = await realInside(directory, folder).catch(() => undefined);
  if (root === undefined) return [];
  const found: SlashCommand[] = [];
  for await (const { path, directory: isDirectory } of walk(root, {
    signal: AbortSignal.timeout(5_000),
    max: MAX_FILES,
  })) {
    if (isDirectory || !path.endsWith(".md")) continue;
    const text = await smallFileInside(directory, `${folder}/${path}`);
    if (text === undefined) continue;
    const { known, body } = splitFrontmatter(text);
    found.push(commandOf(path.slice(0, -".md".length), body, known, `${folder}/${path}`));
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function fromConfig(directory: string, file: string): Promise<SlashCommand[]> {
  const text = await smallFileInside(directory, file);
  const { data } = configured.safeParse(text === undefined ? undefined : (await parseJsonc(text)).value);
  return Object.entries(data?.command ?? {}).flatMap(([name, one]) =>
    one ? [commandOf(name, one.template, one, file)] : [],
  );
}

/** The commands that the files of a directory define. Files that cannot be read are left out. */
export async function projectCommands(directory: string): Promise<SlashCommand[]> {
  const sources = [
    ...FOLDERS.map((folder) => fromFolder(directory, folder).catch(() => [])),
    ...CONFIGS.map((file) => fromConfig(directory, file)),
  ];
  return (await Promise.all(sources)).flat();
}

/** The commands of a project that run shell commands. They do so only where the project is trusted. */
export async function commandsThatRun(directory: string): Promise<ProjectSetting[]> {
  const commands = await projectCommands(directory);
  return commands.flatMap(({ file = "", template }) => {
    const keys = shellsIn(fill(template, ""));
    return keys.length === 0 ? [] : [{ path: file, keys }];
  });
}
