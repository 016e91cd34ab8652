import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** A line of a recording: `in` was written to the program, `out` and `err` came from it. */
export interface Recorded {
  t: number;
  dir: "in" | "out" | "err" | "cwd" | "exit";
  /** The line as it was, or as JSON. */
  line: unknown;
}

/** The recordings of an agent in test/golden. */
export class Recordings {
  private readonly folder: URL;

  constructor(agent: string) {
    this.folder = new URL(`../../golden/${agent}/`, import.meta.url);
  }

  names(): string[] {
    const files = globSync("*.jsonl", { cwd: fileURLToPath(this.folder) });
    return files.map((file) => basename(file, ".jsonl")).sort();
  }

  file(name: string, ending: "jsonl" | "events.txt"): URL {
    return new URL(`${name}.${ending}`, this.folder);
  }

  read(name: string): Recorded[] {
    const lines = readFileSync(this.file(name, "jsonl"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Recorded);
  }
}

/** A recorded line as the program wrote or read it. */
export function textOf({ line }: Recorded): string {
  return typeof line === "string" ? line : JSON.stringify(line);
}
