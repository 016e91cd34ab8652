import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Writes Biome's import rules from the table of rooms in ARCHITECTURE.md: `node scripts/import-rules.ts`.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const RULES = join(ROOT, "biome.rooms.json");

export interface Room {
  /** Such as `src/surfaces/http`. */
  path: string;
  /** Rooms, or parts of rooms, that it may import: `core`, `host/files`. */
  may: string[];
  /** Parts of these that it may not. */
  not: string[];
}

const ROW = /^\| `((?:src\/|web)[\w/-]*)` \| .* \| ([^|]+) \|$/gm;

/** A room as the table's last column names it. */
const nameOf = (path: string): string => path.replace(/^src\//, "");

/** The rooms of the table. "All above" stands for the rooms of the earlier rows. */
export function rooms(page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8")): Room[] {
  const table = /## Rooms\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
  const found: Room[] = [];
  for (const [, name = "", cell = ""] of table.matchAll(ROW)) {
    const above = found.map(({ path }) => nameOf(path));
    const said = cell.split(", ").filter((one) => one !== "nobody");
    const named = said.map((one) => one.replace(/ without .*/, ""));
    const may = named.flatMap((one) => (one === "all above" ? above : [one]));
    const not = said.flatMap((one) => one.split(" without ").slice(1));
    found.push({ path: name, may, not });
  }
  return found;
}

/** Modules that a room may not import, beside those of other rooms. */
const MODULES: Readonly<Record<string, { group: string[]; message: string }>> = {
  "src/core": {
    group: ["fs", "fs/*", "http", "https", "http2", "net", "tls", "dgram", "dns", "child_process", "sqlite"].map(
      (name) => `node:${name}`,
    ),
    message: "The core does no I/O.",
  },
  "src/client": { group: ["node:*"], message: "The client runs in browsers: it imports the web platform only." },
  web: { group: ["node:*"], message: "The console runs in browsers: it imports the web platform only." },
};

/** A pattern for the imports of a room or of a part of one. A room inside another is known to its neighbours by its last name. */
function patterns(from: string, target: string): string[] {
  // The command line has a folder of that name: only the one beside `src` is the room.
  if (target === "web") return [2, 3, 4, 5].map((up) => `${"../".repeat(up)}web/**`);
  // The console's own folders may be named as rooms are.
  if (from === "web") return [`**/src/${target}/**`];
  const neighbour = dirname(from) === dirname(`src/${target}`) && dirname(from) !== "src";
  const name = neighbour ? basename(target) : target;
  const isFolder = statSync(join(ROOT, "src", target), { throwIfNoEntry: false })?.isDirectory();
  return [isFolder ? `**/${name}/**` : `**/${name}.ts`];
}

/** The refused patterns first, then those that are allowed all the same. */
function groupOf({ path, may, not }: Room, all: readonly Room[]): string[] {
  const others = all.filter((room) => room.path !== path).map((room) => nameOf(room.path));
  const refused = [...others.filter((name) => !may.includes(name)), ...not].flatMap((name) => patterns(path, name));
  const parts = may.filter((one) => !others.includes(one)).flatMap((one) => patterns(path, one).map((it) => `!${it}`));
  return [...refused, ...parts];
}

/** Biome's configuration as text, with a line for each room. */
export function rulesOf(all: readonly Room[]): string {
  const overrides = all.map((room) => {
    const may = room.may.length === 0 ? "nobody" : room.may.join(", ");
    const without = room.not.length === 0 ? "" : ` without ${room.not.join(", ")}`;
    const message = `${room.path} may import ${may}${without}: see the table of rooms in ARCHITECTURE.md.`;
    const modules = MODULES[room.path];
    const group = groupOf(room, all);
    const patterns = [...(group.length > 0 ? [{ group, message }] : []), ...(modules ? [modules] : [])];
    const noRestrictedImports = { level: "error", options: { patterns } };
    return { includes: [`${room.path}/**`], linter: { rules: { style: { noRestrictedImports } } } };
  });
  return `{"overrides":[\n${overrides.map((one) => JSON.stringify(one)).join(",\n")}\n]}\n`;
}

if (import.meta.main) writeFileSync(RULES, rulesOf(rooms()));
