import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { unifiedDiff } from "../../core/diff/unified-diff.ts";
import { codeOf } from "../../core/errors.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { isInside, isSystems } from "../../host/files/inside.ts";
import { shownPath } from "./tool-title.ts";

/** A larger file, or a longer diff, is not shown with an ask. */
const MAX_BYTES = 1_000_000;
const MAX_DIFF = 200_000;

/**
 * The text of a file inside the directory; null where there is none, undefined where it is not to be read. It is read
 * at once: an ask that came later than the signals after it could be an ask that nobody waits for.
 */
function textOf(directory: string, path: string): string | null | undefined {
  try {
    const real = join(realpathSync(dirname(path)), basename(path));
    if (!isInside(realpathSync(directory), real) || isSystems(real)) return undefined;
    const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
      const bytes = readFileSync(file);
      return isUtf8(bytes) ? bytes.toString("utf8").replaceAll("\r\n", "\n") : undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : undefined;
  }
}

/** The text after an edit as the program makes it; undefined when the edit does not fit. */
function edited(before: string, edit: Fields): string | undefined {
  const [old, text] = [textIn(edit, "old_string"), textIn(edit, "new_string")];
  if (old === undefined || text === undefined) return undefined;
  if (old === "") return before === "" ? text : undefined;
  if (!before.includes(old)) return undefined;
  return edit.replace_all === true ? before.replaceAll(old, () => text) : before.replace(old, () => text);
}

function after(tool: string, input: Fields, before: string): string | undefined {
  if (tool === "Write") return textIn(input, "content");
  const edits = tool === "Edit" ? [input] : tool === "MultiEdit" ? listIn(input, "edits") : [];
  if (edits.length === 0) return undefined;
  return edits.reduce<string | undefined>((text, edit) => (text === undefined ? text : edited(text, edit)), before);
}

/** An ask for an edit with the diff that the edit would make, which has the line numbers of the file. */
export function withPreview(signal: Signal, directory: string): Signal {
  if (signal.type !== "permission") return signal;
  const input = fieldsIn({ ...signal }, "input");
  const path = textIn(input, "file_path");
  const tool = signal.metadata?.tool;
  if (path === undefined || typeof tool !== "string") return signal;
  const before = textOf(directory, resolve(directory, path));
  if (before === undefined) return signal;
  const text = after(tool, input, before ?? "");
  if (text === undefined || text.length > MAX_BYTES) return signal;
  const { diff, cut } = unifiedDiff(shownPath(directory, path), before ?? undefined, text, MAX_DIFF);
  return { ...signal, metadata: { ...signal.metadata, diff, ...(cut ? { cut } : {}) } };
}
