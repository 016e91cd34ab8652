import type { PermissionOption, PermissionOptionKind } from "@agentclientprotocol/sdk/unstable";
import type { AskAnswer } from "../../../client/index.ts";
import type { AskOption, FileChange } from "../../../core/events/values.ts";
import { type Fields, listIn, present, textIn } from "../../../core/json/fields.ts";
import type { AttachedSession } from "../session/attached.ts";
import type { Front, PermissionView } from "../session/front.ts";
import { diffsOf } from "../translate/call-content.ts";
import type { Calls } from "../translate/calls.ts";
import { locationsOf } from "../translate/locations.ts";
import { toolKind } from "../translate/tool-kind.ts";
import type { Call } from "../translate/updates.ts";
import { untilStopped } from "./answers.ts";
import type { Permission } from "./desk.ts";

export interface Showing {
  session: AttachedSession;
  front: Front;
  calls: Calls;
  signal: AbortSignal;
}

const KINDS: Readonly<Record<AskOption["kind"], PermissionOptionKind>> = {
  once: "allow_once",
  always: "allow_always",
  reject: "reject_once",
};
const LABELS: Readonly<Record<AskOption["kind"], string>> = {
  once: "Allow once",
  always: "Always allow",
  reject: "Reject",
};

/** The options of an ask, by kind. A person can always refuse. */
export function permissionOptions(options: readonly AskOption[]): PermissionOption[] {
  const shown = options.map(({ id, kind, label }) => ({
    optionId: id,
    kind: KINDS[kind],
    name: label ?? LABELS[kind],
  }));
  if (options.some(({ kind }) => kind === "reject")) return shown;
  return [...shown, { optionId: "reject", kind: "reject_once", name: LABELS.reject }];
}

/** The changes that an ask wants to make, in the forms in which agents show them before. */
function changesIn(metadata: Fields, path: string | undefined): FileChange[] {
  const files = listIn(metadata, "files").flatMap((file): FileChange[] => {
    const name = textIn(file, "filePath") ?? textIn(file, "path") ?? textIn(file, "file");
    const diff = textIn(file, "patch") ?? textIn(file, "diff");
    return name === undefined ? [] : [{ path: name, kind: "modified", ...present({ diff }) }];
  });
  const diff = textIn(metadata, "diff") ?? textIn(metadata, "patch");
  if (files.length > 0 || diff === undefined || path === undefined) return files;
  return [{ path, kind: diff.startsWith("--- /dev/null") ? "added" : "modified", diff }];
}

/** An ask as a client shows it: with the call that it is about. */
export function permissionView(ask: Permission, directory: string, calls: Calls): PermissionView {
  const { action, title, command, patterns, input, metadata = {}, options } = ask.request;
  const item = ask.request.call === undefined ? undefined : calls.idOf(ask.request.call);
  const known: Call | undefined = item === undefined ? undefined : calls.shown(item);
  const rawInput = input ?? known?.rawInput;
  const located = locationsOf(directory, rawInput, []);
  const [path] = located.length > 0 ? located.map((one) => one.path) : patterns;
  const changes = changesIn(metadata, path);
  const subject = title ?? command ?? (known && known.title !== known.name ? known.title : patterns.join(", "));
  return {
    title: subject === "" ? action : subject,
    options: permissionOptions(options),
    id: item ?? ask.id,
    call: {
      name: known?.name ?? action,
      kind: known?.kind ?? toolKind(action),
      title: subject === "" ? action : subject,
      status: known?.status ?? "pending",
      locations: locationsOf(directory, rawInput, changes),
      content: [
        ...(command !== undefined && command !== subject ? [{ type: "text" as const, text: command }] : []),
        ...diffsOf(directory, changes),
      ],
      ...present({ rawInput, meta: known?.meta }),
    },
    ...present({ description: subject === action || subject === "" ? undefined : action }),
  };
}

/** Asks the client for a permission. Without a choice it is refused. */
export async function answerPermission(ask: Permission, showing: Showing): Promise<AskAnswer> {
  const { session, front, calls, signal } = showing;
  const view = permissionView(ask, session.directory, calls);
  const chosen = await front.permission(session, view, signal);
  if (chosen === undefined) await untilStopped(signal);
  const option = ask.request.options.find(({ id }) => id === chosen);
  return option?.kind ?? "reject";
}
