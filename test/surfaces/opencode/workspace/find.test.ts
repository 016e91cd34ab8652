import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { bestMatches, fuzzyScore } from "../../../../src/host/files/names/fuzzy.ts";
import { matchesOfRipgrep } from "../../../../src/surfaces/opencode/workspace/search-output.ts";
import { temporary } from "../../../support/server.ts";
import { files, inDirectory, opencodeRig, repository } from "../rig.ts";

interface Match {
  path: { text: string };
  lines: { text: string };
  line_number: number;
  absolute_offset: number;
  submatches: { match: { text: string }; start: number; end: number }[];
}

const TEXTS = {
  "a.txt": "hello world\nfoo bar foo\n",
  "spa ce.txt": "café foo\n",
  "node_modules/x.txt": "foo\n",
  ".gitignore": "node_modules\n",
  "binary.bin": Buffer.from([0, 102, 111, 111, 10]),
};

const FOUND: Match[] = [
  {
    path: { text: "a.txt" },
    lines: { text: "foo bar foo\n" },
    line_number: 2,
    absolute_offset: 12,
    submatches: [
      { match: { text: "foo" }, start: 0, end: 3 },
      { match: { text: "foo" }, start: 8, end: 11 },
    ],
  },
  {
    path: { text: "spa ce.txt" },
    lines: { text: "café foo\n" },
    line_number: 1,
    absolute_offset: 0,
    submatches: [{ match: { text: "foo" }, start: 6, end: 9 }],
  },
];

async function which(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (await readFile(path).catch(() => undefined)) return path;
  }
  return undefined;
}

/** Only these programs are there, for the rest of the test. */
async function only(t: TestContext, programs: Record<string, string>): Promise<void> {
  const folder = await temporary(t);
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(folder, name));
  const before = process.env.PATH;
  process.env.PATH = folder;
  t.after(() => {
    process.env.PATH = before;
  });
}

/** Plays a recorded answer of ripgrep, and keeps what it was asked. */
async function playsRipgrep(t: TestContext): Promise<{ program: string; asked: string }> {
  const folder = await temporary(t);
  const program = join(folder, "rg");
  const asked = join(folder, "asked");
  const golden = new URL("../../../golden/opencode/ripgrep.jsonl", import.meta.url).pathname;
  const sh = await which("cat");
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${asked}'\nexec '${sh}' '${golden}'\n`, { mode: 0o755 });
  return { program, asked };
}

test("text is found by git where there is no ripgrep, in a repository and outside of one", async (t) => {
  const { client } = await opencodeRig(t);
  const inside = await repository(t, TEXTS);
  const outside = await temporary(t);
  await files(outside, TEXTS);
  await only(t, { git: (await which("git")) ?? "", sh: "/bin/sh" });
  for (const directory of [inside, outside]) {
    const found = await client.get<Match[]>(inDirectory("/find?pattern=fo%2B", directory));
    assert.deepEqual(found, FOUND);
  }
  assert.deepEqual(await client.get(inDirectory("/find?pattern=nothing-of-the-kind", inside)), []);
});

test("ripgrep is asked where it is installed, for the same answer", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  const { program, asked } = await playsRipgrep(t);
  await only(t, { rg: program });
  assert.deepEqual(await client.get(inDirectory("/find?pattern=--pre%3Dsh%20foo", directory)), FOUND);
  const args = (await readFile(asked, "utf8")).split("\n");
  assert.equal(args[args.indexOf("--regexp") + 1], "--pre=sh foo", "a pattern is never taken for an option");
});

test("without either, words are found as they stand", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await files(directory, TEXTS);
  await only(t, {});
  const found = await client.get<Match[]>(inDirectory("/find?pattern=foo", directory));
  found.sort((a, b) => (a.path.text < b.path.text ? -1 : 1));
  assert.deepEqual(
    found.map(({ path, line_number, absolute_offset, submatches }) => [
      path.text,
      line_number,
      absolute_offset,
      submatches[0]?.start,
    ]),
    [
      ["a.txt", 2, 12, 0],
      ["spa ce.txt", 1, 0, 6],
    ],
  );
});

test("a pattern that is no regular expression gets 400, none at all too, and a directory that is not there 404", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, TEXTS);
  const { data } = await client.expect<{ data: { message: string } }>(
    400,
    "GET",
    inDirectory("/find?pattern=(", directory),
  );
  assert.match(data.message, /expected a regular expression, got "\("/);
  await client.expect(400, "GET", inDirectory("/find", directory));
  await client.expect(404, "GET", inDirectory("/find?pattern=a", join(directory, "nowhere")));
});

test("no more than a hundred lines, of any length, come back", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "long.txt": `foo${"x".repeat(5_000)}\n`, "many.txt": "foo\n".repeat(500) });
  const found = await client.get<Match[]>(inDirectory("/find?pattern=foo", directory));
  assert.equal(found.length, 100);
  assert.ok(found.every(({ lines }) => lines.text.length <= 2_000));
});

test("a recorded answer of ripgrep is read, also one that was cut off", async () => {
  const text = await readFile(new URL("../../../golden/opencode/ripgrep.jsonl", import.meta.url), "utf8");
  assert.deepEqual(matchesOfRipgrep(text, 10), FOUND);
  assert.deepEqual(matchesOfRipgrep(text, 1), FOUND.slice(0, 1));
  const cut = text.slice(0, text.indexOf("café"));
  assert.deepEqual(matchesOfRipgrep(cut, 10), FOUND.slice(0, 1));
});

test("files and directories are found by a few of their letters, the best first", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, {
    ".gitignore": "dist\n",
    "src/surfaces/opencode/app.ts": "",
    "src/surfaces/universal/app.ts": "",
    "src/main.ts": "",
    "README.md": "",
  });
  await files(directory, { "dist/app.ts": "", "new/app.ts": "" });
  const find = (query: string): Promise<string[]> => client.get(inDirectory(`/find/file?${query}`, directory));
  assert.deepEqual(await find("query=app.ts"), [
    "new/app.ts",
    "src/surfaces/opencode/app.ts",
    "src/surfaces/universal/app.ts",
  ]);
  assert.deepEqual((await find("query=opapp"))[0], "src/surfaces/opencode/app.ts");
  assert.deepEqual((await find("query=openc&type=directory"))[0], "src/surfaces/opencode/");
  assert.deepEqual(await find("query=readme&dirs=false"), ["README.md"]);
  assert.ok((await find("query=s&dirs=false")).every((path) => !path.endsWith("/")));
  assert.equal((await find("query=&limit=3")).length, 3);
  assert.deepEqual(await find("query=zzzz"), []);
  for (const bad of ["", "query=a&limit=0", "query=a&limit=201", "query=a&dirs=maybe"])
    await client.expect(400, "GET", inDirectory(`/find/file?${bad}`, directory));
  const { data } = await client.get<{ data: object[] }>(
    inDirectory("/api/fs/find?query=openc&type=directory", directory),
  );
  assert.deepEqual(data[0], { path: "src/surfaces/opencode/", type: "directory" });
});

test("outside of a repository files are found too, the nearest ones for certain", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await files(directory, { "deep/er/and/deeper/app.ts": "", "node_modules/app.ts": "" });
  await mkdir(join(directory, "empty"));
  assert.deepEqual(await client.get(inDirectory("/find/file?query=app.ts", directory)), ["deep/er/and/deeper/app.ts"]);
  assert.deepEqual(await client.get(inDirectory("/find/file?query=emp&type=directory", directory)), ["empty/"]);
  await client.expect(404, "GET", inDirectory("/find/file?query=a", join(directory, "nowhere")));
});

const better: [query: string, best: string, other: string][] = [
  ["app", "src/app.ts", "src/happy.ts"],
  ["app", "app.ts", "app/other.ts"],
  ["sapp", "src/app.ts", "soap/pipe.ts"],
  ["main", "src/main.ts", "src/domain.ts"],
];

for (const [query, best, other] of better) {
  test(`"${query}" means ${best} rather than ${other}`, () =>
    assert.deepEqual(bestMatches(query, [other, best], 1), [best]));
}

test("letters that are not all there in order are no match", () => {
  assert.equal(fuzzyScore("abc", "acb"), undefined);
  assert.equal(fuzzyScore("x", ""), undefined);
  assert.notEqual(fuzzyScore("a C", "some/abc"), undefined);
});
