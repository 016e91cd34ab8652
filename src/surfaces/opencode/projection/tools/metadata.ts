import type { FileChange } from "../../../../core/events/values.ts";
import { present } from "../../../../core/json/fields.ts";
import { absolute, diffOf } from "../file-diffs.ts";

type Fields = Record<string, unknown>;

/** The facts of a tool call that is over. */
export interface Outcome {
  tool: string;
  failed: boolean;
  input: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
  output: string;
  files: readonly FileChange[];
  directory: string;
}

const PREVIEW_LINES = 20;
const NUMBERED = /^ *\d+(?::|→|\t) ?/;

/** The first lines of a file, without the numbers that an agent may have put before them. */
function preview(output: string): string {
  const lines = output.split("\n", PREVIEW_LINES);
  const numbered = lines.length > 0 && lines.every((line) => line === "" || NUMBERED.test(line));
  return (numbered ? lines.map((line) => line.replace(NUMBERED, "")) : lines).join("\n");
}

function diffText(files: readonly FileChange[]): string {
  return files.map(({ diff = "" }) => diff).join("");
}

function changeMetadata({ files, directory }: Outcome): Fields {
  const [first] = files;
  if (!first) return {};
  const { file: _, patch = "", additions, deletions } = diffOf(first, directory);
  const filediff = { file: absolute(directory, first.path), patch, additions, deletions };
  return { diff: diffText(files), filediff, diagnostics: {} };
}

const PATCH_TYPES = { added: "add", modified: "update", deleted: "delete", renamed: "move" } as const;

function patchFile(change: FileChange, directory: string): Fields {
  const { file, patch = "", additions, deletions } = diffOf(change, directory);
  const moved = change.kind === "renamed" && change.from !== undefined;
  const filePath = absolute(directory, moved ? (change.from ?? change.path) : change.path);
  const movePath = moved ? absolute(directory, change.path) : undefined;
  return present({
    filePath,
    relativePath: file,
    type: PATCH_TYPES[change.kind],
    patch,
    additions,
    deletions,
    movePath,
  });
}

function exitOf({ exit, exitCode, exit_code }: Readonly<Fields>): number | null {
  const code = exit ?? exitCode ?? exit_code;
  return typeof code === "number" ? code : null;
}

function own(outcome: Outcome): Fields {
  const { tool, failed, input, metadata, output, files, directory } = outcome;
  // Of a call that was refused there is nothing to show: clients show it as a line, and one with an output as a block with its error.
  if (failed && output === "" && files.length === 0) return {};
  switch (tool) {
    case "edit":
    case "write":
      if (tool === "edit") return changeMetadata(outcome);
      return { ...changeMetadata(outcome), filepath: input.filePath, exists: files[0]?.kind !== "added" };
    case "apply_patch":
      return { diff: diffText(files), files: files.map((file) => patchFile(file, directory)), diagnostics: {} };
    case "read":
      return { preview: preview(output), truncated: false };
    case "bash":
      return { output, exit: exitOf(metadata) };
    case "todowrite":
      return { todos: input.todos ?? [] };
    default:
      return {};
  }
}

/** The facts that OpenCode's clients show of a tool call beside its output. Facts of the agent itself come first. */
export function toolMetadata(outcome: Outcome): Fields {
  return { ...own(outcome), ...outcome.metadata };
}
