import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { type Diff, unifiedDiff } from "../../../core/diff/unified-diff.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { namesInside, shownPath } from "../../../host/files/inside.ts";
import { createInside, openInside } from "../../../host/files/open-inside.ts";
import { replaceContent } from "../../../host/files/replace-content.ts";
import { ToolFailure } from "../turn/tool-failure.ts";
import type { Done, ToolContext } from "./tool.ts";

/** A larger one is not held in memory, nor its difference in the log. */
const MAX_BYTES = 10_000_000;

async function contentOf(directory: string, path: string): Promise<Buffer | undefined> {
  const handle = await openInside(directory, path, "read");
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES)
      throw new ToolFailure("too_large", `${path} has ${size} bytes, more than ${MAX_BYTES}; change it with a command`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function replace(handle: FileHandle, expected: Buffer | undefined, bytes: Buffer, path: string): Promise<void> {
  try {
    if (expected !== undefined && !(await handle.readFile()).equals(expected))
      throw new ToolFailure("changed", `${path} was changed by somebody else meanwhile; read it again`);
    await replaceContent(handle, expected, bytes);
  } finally {
    await handle.close();
  }
}

/** The diff of a change. In place of bytes that are no text it has their number, so that a revert does not try to bring them back. */
function diffOf(name: string, before: Buffer | undefined, after: string): Diff {
  if (before === undefined || isUtf8(before)) return unifiedDiff(name, before?.toString("utf8"), after);
  const added = unifiedDiff(name, undefined, after);
  const characters = before.length + (added.cut?.characters ?? 0);
  return { ...added, diff: `Binary files a/${name} and b/${name} differ\n${added.diff}`, cut: { characters } };
}

/** Makes a change after asking for exactly that change: what is there when it is written is what was shown. */
export function changeFile(
  path: string,
  change: (before: Buffer | undefined) => string,
  context: ToolContext,
): Promise<Done> {
  const { directory, locks, signal } = context;
  return locks.hold(directory, path, async () => {
    signal.throwIfAborted();
    const name = shownPath(directory, path);
    const before = await contentOf(directory, path);
    const after = change(before);
    const bytes = Buffer.from(after);
    if (before?.equals(bytes)) throw new ToolFailure("no_change", `${name} would stay as it is`);
    const { diff, ...rest } = diffOf(name, before, after);
    const names = await namesInside(directory, path);
    await context.permit({ action: "edit", patterns: names.map(exact), title: names.join(" → "), metadata: { diff } });
    signal.throwIfAborted();
    if ((await namesInside(directory, path)).join("\0") !== names.join("\0"))
      throw new ToolFailure("changed", `${name} leads elsewhere by now; read it again`);
    const handle =
      before === undefined ? await createInside(directory, path) : await openInside(directory, path, "write");
    if (!handle) throw new ToolFailure("changed", `${name} is gone; read the directory again`);
    await replace(handle, before, bytes, name);
    const [kind, did] = before === undefined ? (["added", "wrote"] as const) : (["modified", "changed"] as const);
    const output = `${did} ${name} (+${rest.additions} -${rest.deletions})`;
    return { output, files: [{ path: name, kind, diff, ...rest }] };
  });
}
