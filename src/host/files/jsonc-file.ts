import { openInside } from "./open-inside.ts";

const MAX_BYTES = 256 * 1024;

/** The value of JSON with comments; `problem` says why there is none. */
export interface Jsonc {
  value?: unknown;
  problem?: string;
}

/** Reads JSON with comments. Text that is nested too deep for the parser's stack is a problem like others. */
export async function parseJsonc(text: string): Promise<Jsonc> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: Parameters<typeof parse>[1] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [broken] = errors;
    return broken
      ? { value, problem: `${printParseErrorCode(broken.error)} at character ${broken.offset}` }
      : { value };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "it is nested too deep" };
    throw error;
  }
}

/** The text of a small file in a directory; undefined where it is not there, leads out of it, or is no small file. */
export async function smallFileInside(directory: string, path: string): Promise<string | undefined> {
  const handle = await openInside(directory, path, "read").catch(() => undefined);
  if (!handle) return undefined;
  try {
    return (await handle.stat()).size > MAX_BYTES ? undefined : await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
