import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { originOf, type SourceMap } from "./mappings.ts";

/** Places that are kept: a server that fails again and again does so in the same places. */
const MOST_PLACES = 1_000;

const places = new Map<string, string>();

/** A source by its path in the repository: the package does not have it. */
const inRepository = (source: string): string => source.slice(Math.max(0, source.lastIndexOf("src/")));

function look(file: string, line: number, column: number): string {
  const map = JSON.parse(readFileSync(fileURLToPath(`${file}.map`), "utf8")) as SourceMap;
  const origin = originOf(map, { line, column });
  return origin ? `${inRepository(origin.source)}:${origin.line}:${origin.column}` : `${file}:${line}:${column}`;
}

/** A line of a stack, with the source in place of the file of the package. */
function named(frame: NodeJS.CallSite, folder: string): string {
  const text = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith(folder) || line === null || column === null) return text;
  const place = `${file}:${line}:${column}`;
  if (places.size >= MOST_PLACES) places.clear();
  const known = places.get(place) ?? look(file, line, column);
  places.set(place, known);
  return text.replace(place, known);
}

function header(error: unknown): string {
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  return typeof code === "string" && code.startsWith("ERR_") ? `${name} [${code}]: ${message}` : String(error);
}

/**
 * Has stacks name our sources, not the files of the package, which are made of many of them. Node can do that itself,
 * but then reads the map of each file that it loads; so a map is read when a stack is.
 */
export function nameSources(folder: string): void {
  if (process.sourceMapsEnabled) return;
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => {
      try {
        return named(frame, folder);
      } catch {
        // Without its map, the line is told as it is.
        return String(frame);
      }
    });
    return [header(error), ...lines.map((line) => `    at ${line}`)].join("\n");
  };
}
