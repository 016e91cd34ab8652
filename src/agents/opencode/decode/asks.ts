import { resolve } from "node:path";
import { type Fields, fieldsIn, isFields, listIn, present, textIn } from "../../../core/json/fields.ts";
import type { PermissionSignal, QuestionSignal } from "../../../core/ledger/signals.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import { placedLine } from "../../placed-line.ts";
import type { Branch, Part } from "./state.ts";

/** Permissions whose patterns are paths. */
const FILES: ReadonlySet<string> = new Set(["edit", "read"]);

/** The call that an ask is about, where it was told. */
export function askedPart(branch: Branch, request: Fields): Part | undefined {
  const tool = fieldsIn(request, "tool");
  const [message, call] = [textIn(tool, "messageID"), textIn(tool, "callID")];
  const parts = branch.messages.get(message ?? "")?.parts.values() ?? [];
  return [...parts].find((part) => part.call !== undefined && part.call === call);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The paths that a request is about: in full, because the program's own are relative to the root of the repository. */
function pathsOf(request: Fields, input: Fields): string[] {
  const metadata = fieldsIn(request, "metadata");
  const files = listIn(metadata, "files").flatMap((file) => [textIn(file, "filePath"), textIn(file, "movePath")]);
  const listed = files.filter((path) => path !== undefined);
  if (listed.length > 0) return listed;
  const path = textIn(metadata, "filepath") ?? textIn(input, "filePath");
  return path === undefined ? [] : [path];
}

/** A request for a permission. Rules are held against the whole line of a command, and against the paths of files in any spelling. */
export function permissionOf(
  request: Fields,
  part: Part | undefined,
  directory: string,
): Omit<PermissionSignal, "type"> {
  const action = textIn(request, "permission") ?? "permission";
  const patterns = texts(request.patterns);
  const input = isFields(part?.input) ? part.input : {};
  const metadata = fieldsIn(request, "metadata");
  const line = action === "bash" ? (textIn(input, "command") ?? textIn(metadata, "command")) : undefined;
  const place = resolve(directory, textIn(input, "workdir") ?? directory);
  const command = line === undefined ? undefined : placedLine(line, place, directory);
  const paths = FILES.has(action) ? pathsOf(request, input) : [];
  const shown = paths.length > 0 ? paths.map((path) => ruledPath(directory, path)) : patterns;
  return {
    ask: textIn(request, "id") ?? "",
    action,
    ...(command === undefined ? { patterns: shown.map(exact) } : { command }),
    ...present({ title: titleOf(action, command, shown), call: part?.key, input: part?.input }),
    metadata: { ...metadata, ...present({ tool: part?.tool }) },
  };
}

function titleOf(action: string, command: string | undefined, patterns: readonly string[]): string {
  if (command !== undefined) return command;
  return patterns.length === 0 ? action : patterns.join(", ");
}

export function questionOf(request: Fields, part: Part | undefined): QuestionSignal {
  const questions = listIn(request, "questions").map((one) => ({
    question: textIn(one, "question") ?? "",
    ...present({ header: textIn(one, "header") }),
    options: listIn(one, "options").map((option) => ({
      label: textIn(option, "label") ?? "",
      ...present({ description: textIn(option, "description") }),
    })),
    ...(one.multiple === true || one.multiSelect === true ? { multiple: true } : {}),
    ...(one.custom === false ? { custom: false } : { custom: true }),
  }));
  return { type: "question", ask: textIn(request, "id") ?? "", questions, ...present({ call: part?.key }) };
}
