import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Room, RULES, rooms, rulesOf } from "../../scripts/import-rules.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIOME = join(ROOT, "node_modules/.bin/biome");
const ALL = rooms();

const FORMS = [
  (name: string, path: string) => `import { ${name} } from "${path}";`,
  (name: string, path: string) => `import type { ${name} } from "${path}";`,
  (name: string, path: string) => `export { ${name} } from "${path}";`,
  (name: string, path: string) => `export const ${name} = () => import("${path}");`,
];

/** Modules of Node that the text under the table refuses. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "src/core": [
    "node:fs",
    "node:fs/promises",
    "node:http",
    "node:https",
    "node:net",
    "node:child_process",
    "node:sqlite",
  ],
  "src/client": ["node:fs", "node:path", "node:events"],
  web: ["node:fs", "node:path"],
};

interface Planted {
  room: string;
  file: string;
  line: number;
  target: string;
}

/** The files that a room's rules speak of: one in every other room, and in every part of a room that the table names. */
function targetsOf({ path }: Room): string[] {
  const parts = ALL.flatMap(({ may, not }) =>
    [...may, ...not].filter((one) => one.includes("/") && !one.startsWith("surfaces/")),
  );
  const others = ALL.filter((room) => room.path !== path).map((room) => `${room.path}/planted.ts`);
  const inParts = [...new Set(parts)].map((part) =>
    readdirSync(join(ROOT, "src", dirname(part))).includes(`${part.split("/").at(-1)}.ts`)
      ? `src/${part}.ts`
      : `src/${part}/planted.ts`,
  );
  return [...others, ...inParts.filter((one) => !one.startsWith(`${path}/`)), ...(MODULES[path] ?? [])];
}

function isAllowed({ may, not }: Room, target: string): boolean {
  const isIn = (one: string): boolean => target === `src/${one}.ts` || target.startsWith(`src/${one}/`);
  return may.some(isIn) && !not.some(isIn);
}

/** Writes, for each room, a file in it and one in a folder of it that import every target in every form. */
function plant(root: string): Planted[] {
  const planted: Planted[] = [];
  for (const room of ALL) {
    for (const file of [`${room.path}/planted.ts`, `${room.path}/deep/er/planted.ts`]) {
      const lines: string[] = [];
      for (const target of targetsOf(room)) {
        for (const form of FORMS) {
          const from = target.startsWith("node:") ? target : relative(dirname(file), target);
          lines.push(form(`name${lines.length}`, from));
          planted.push({ room: room.path, file, line: lines.length, target });
        }
      }
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), `${lines.join("\n")}\n`);
    }
  }
  return planted;
}

/** The planted lines that Biome refuses, as `file:line`. */
async function refusedIn(root: string): Promise<Set<string>> {
  for (const name of ["biome.json", "biome.rooms.json"]) cpSync(join(ROOT, name), join(root, name));
  const only = ["--only=style/noRestrictedImports", "--vcs-enabled=false", "--max-diagnostics=none"];
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(
    BIOME,
    ["lint", ...only, "--reporter=github", "."],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
    (_, out, err) => resolve(out + err),
  );
  const output = await promise;
  const found = output.matchAll(/noRestrictedImports,file=([^,]+),line=(\d+)/g);
  return new Set([...found].map(([, file = "", line]) => `${relative(root, file)}:${line}`));
}

let planted: Planted[] = [];
let refused = new Set<string>();

before(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-rules-")));
  try {
    planted = plant(root);
    refused = await refusedIn(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("biome.rooms.json is what the table of rooms says; `node scripts/import-rules.ts` writes it", () => {
  assert.equal(readFileSync(RULES, "utf8"), rulesOf(ALL));
});

test("every folder of the source is a room of the table", () => {
  const folders = (path: string): string[] =>
    readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [`${path}/${one.name}`] : [],
    );
  const found = [...folders("src").filter((path) => path !== "src/surfaces"), ...folders("src/surfaces"), "web"];
  assert.deepEqual(ALL.map(({ path }) => path).toSorted(), found.toSorted());
});

for (const room of ALL) {
  test(`Biome refuses every import from ${room.path} that the table does not allow, and no other`, () => {
    const own = planted.filter((one) => one.room === room.path);
    for (const { file, line, target } of own) {
      const expected = isAllowed(room, target) ? "allowed" : "refused";
      assert.equal(refused.has(`${file}:${line}`) ? "refused" : "allowed", expected, `${file} imports ${target}`);
    }
  });
}

test("the planted imports are really looked at: known ones are refused, known ones are not", () => {
  const verdict = (room: string, target: string): boolean[] =>
    planted
      .filter((one) => one.room === room && one.target === target)
      .map(({ file, line }) => refused.has(`${file}:${line}`));
  const allRefused = Array(8).fill(true);
  assert.deepEqual(verdict("src/surfaces/opencode", "src/surfaces/universal/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/surfaces/universal", "src/surfaces/opencode/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/surfaces/http", "src/server/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/host", "src/log/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/client", "src/install/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/testing", "src/gateway/planted.ts"), allRefused);
  for (const room of ["src/gateway", "src/server", "src/cli"])
    assert.deepEqual(verdict(room, "src/log/sqlite/planted.ts"), allRefused, `${room} knows no engine of the log`);
  assert.deepEqual(verdict("src/gateway", "src/host/planted.ts"), allRefused);
  assert.deepEqual(verdict("src/gateway", "src/host/files/planted.ts"), Array(8).fill(false));
});
