import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...globSync("docs/**/*.md", { cwd: ROOT }),
];

/** Paths of examples: a reader of docs/adapters.md or docs/surfaces.md makes them, and docs/api.md names a user's file. */
const EXAMPLES = ["src/agents/plain", "src/surfaces/plain", "src/a.ts"];

/** Rooms, whose paths pages also write without `src/`. */
const ROOMS = "core|log|host|install|agents|gateway|surfaces|server|client|testing|cli";

const read = (page: string): string => readFileSync(join(ROOT, page), "utf8").replaceAll("\r\n", "\n");
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "");

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Links of a page to files and headings of the project. */
const linksIn = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** Whether a link leads to a file that exists and, where it names a heading, to that heading. */
function leads(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  return existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

/** Files and folders of the source and the tests that a page names. */
const pathsIn = (page: string): string[] =>
  [...read(page).matchAll(/(?<![\w./-])(?:src|test|bench|scripts|schema|examples)\/[\w./-]*[\w-]/g)].map(
    ([path]) => path,
  );

/** Paths in backquotes that begin with a room. */
const roomPathsIn = (page: string): string[] =>
  [...read(page).matchAll(new RegExp(`\`((?:${ROOMS})/[\\w./-]*\\w)\``, "g"))].map(([, path = ""]) => `src/${path}`);

const SOURCES = globSync("{src,test,scripts,bench,examples}/**/*.ts", { cwd: ROOT }).map(
  (file) => `/${file.replaceAll("\\", "/")}`,
);

/** Modules in backquotes that a page names by the end of their path, such as `session/actor.ts`. */
const endingsIn = (page: string): string[] =>
  [...read(page).matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = ""]) => path);

/** A test may be named without its ending, a module without `.ts`. */
const exists = (path: string): boolean =>
  ["", ".ts", ".test.ts", ".md"].some((ending) => existsSync(join(ROOT, `${path}${ending}`)));

const isExample = (path: string): boolean => EXAMPLES.some((example) => path.startsWith(example));

describe("pages", () => {
  for (const page of PAGES) {
    test(`${page} links only to files and headings that exist`, () => {
      assert.deepEqual(
        linksIn(page).filter((link) => !leads(page, link)),
        [],
      );
    });

    test(`${page} names only files and folders that exist`, () => {
      const named = [...pathsIn(page), ...roomPathsIn(page)];
      assert.deepEqual(
        named.filter((path) => !isExample(path) && !exists(path)),
        [],
      );
      assert.deepEqual(
        endingsIn(page).filter((path) => !isExample(path) && !SOURCES.some((file) => file.endsWith(`/${path}`))),
        [],
      );
    });
  }
});
