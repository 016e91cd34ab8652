import type { FileHandle } from "node:fs/promises";
import { shownPath } from "../../../host/files/inside.ts";
import { createInside, openInside } from "../../../host/files/open-inside.ts";
import { unifiedDiff } from "../diff.ts";
import { exactPattern } from "../permissions.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { Done, ToolContext } from "./tool.ts";

async function contentOf(directory: string, path: string): Promise<string | undefined> {
  const handle = await openInside(directory, path, "read");
  if (!handle) return undefined;
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function replace(handle: FileHandle, expected: string | undefined, after: string, path: string): Promise<void> {
  try {
    if (expected !== undefined && (await handle.readFile("utf8")) !== expected)
      throw new ToolFailure("changed", `${path} was changed by somebody else meanwhile; read it again`);
    const bytes = Buffer.from(after);
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}

/** Makes a change after asking for exactly that change: what is there when it is written is what was shown. */
export function changeFile(
  path: string,
  change: (before: string | undefined) => string,
  context: ToolContext,
): Promise<Done> {
  const { directory, locks, signal } = context;
  return locks.hold(directory, path, async () => {
    signal.throwIfAborted();
    const name = shownPath(directory, path);
    const before = await contentOf(directory, path);
    const after = change(before);
    if (after === before) throw new ToolFailure("no_change", `${name} would stay as it is`);
    const { diff, additions, deletions } = unifiedDiff(name, before, after);
    await context.permit({ action: "edit", patterns: [exactPattern(name)], title: name, metadata: { diff } });
    signal.throwIfAborted();
    const handle =
      before === undefined ? await createInside(directory, path) : await openInside(directory, path, "write");
    if (!handle) throw new ToolFailure("changed", `${name} is gone; read the directory again`);
    await replace(handle, before, after, name);
    const kind = before === undefined ? "added" : "modified";
    return {
      output: `${kind === "added" ? "wrote" : "changed"} ${name} (+${additions} -${deletions})`,
      files: [{ path: name, kind, diff, additions, deletions }],
    };
  });
}
