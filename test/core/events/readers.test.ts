import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A type that nobody knows, planted in each union: the line that begins the union, and the line that is added behind it. */
const PLANTS = [
  ["planted.event", "src/core/events/catalog.ts", "export const catalog = {", '"planted.event": z.looseObject({}),'],
  ["planted.signal", "src/core/ledger/signals.ts", "export type Signal =", '| { type: "planted.signal" }'],
  ["planted.command", "src/core/ledger/state.ts", "export type Command =", '| { type: "planted.command" }'],
  ["planted.effect", "src/core/ledger/state.ts", "export type Effect =", '| { type: "planted.effect" }'],
] as const;

/** The files (ends of their paths) that must know every type, and how many of their switches and tables refuse a new one. */
const READERS: Record<(typeof PLANTS)[number][0], Record<string, number>> = {
  "planted.event": {
    "core/events/keys.ts": 1,
    "core/history/copy.ts": 2,
    "core/history/imported.ts": 2,
    "core/history/new-ids.ts": 1,
    "core/history/turns.ts": 1,
    "core/ledger/laws.ts": 1,
    "core/ledger/restore.ts": 1,
    "core/search/text.ts": 1,
    "core/session-state.ts": 1,
    "run/progress.ts": 1,
    "projection/session-view.ts": 1,
    "acp/translate/translator.ts": 1,
  },
  "planted.signal": { "core/ledger/step.ts": 1, "signal-schemas.ts": 1 },
  "planted.command": { "core/ledger/step.ts": 2 },
  "planted.effect": { "act.ts": 1 },
};

/** Files with a switch that looks at a few types, or at types of another kind, and why that is right. */
const OTHER_SWITCHES: Record<string, string> = {
  "output/event-line.ts": "prints every other type as JSON",
  "run/reply-text.ts": "shows the text of messages only",
  "asks/desk.ts": "reads asks and their resolutions only",
  "receipt.ts": "reads the event that stored a prompt, found by the prompt's key",
  "v2/next/translator.ts": "reads what the projection says, which knows every type",
  "lifecycle.ts": "reads the events of the process, not of a session",
  "sample-agent/session.ts": "reads the commands of the line protocol",
};

describe("a type that a reader forgets does not compile", () => {
  let copy: string;
  let errors: string[];

  before(async () => {
    copy = await mkdtemp(join(tmpdir(), "parley-readers-"));
    await cp(join(ROOT, "src"), join(copy, "src"), { recursive: true });
    for (const name of ["package.json", "tsconfig.json"]) await cp(join(ROOT, name), join(copy, name));
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
    for (const [, file, line, more] of PLANTS) {
      const text = await readFile(join(copy, file), "utf8");
      assert.equal(text.split(line).length, 2, `${file} has "${line}" once`);
      await writeFile(
        join(copy, file),
        text.replace(line, () => `${line}\n${more}`),
      );
    }
    const ends = Object.values(READERS).flatMap((files) => Object.keys(files));
    const files: string[] = [];
    for await (const file of glob("src/**/*.ts", { cwd: copy }))
      if (ends.some((end) => file.endsWith(`/${end}`))) files.push(file);
    await writeFile(join(copy, "planted.json"), JSON.stringify({ extends: "./tsconfig.json", include: [], files }));
    errors = await new Promise((resolve) => {
      const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
      const args = [compiler, "-p", "planted.json", "--pretty", "false"];
      execFile(process.execPath, args, { cwd: copy, maxBuffer: 1 << 24 }, (_, stdout) =>
        resolve(stdout.split("\n").filter((line) => line.startsWith("src/"))),
      );
    });
  });

  after(() => rm(copy, { recursive: true, force: true }));

  for (const [plant] of PLANTS) {
    test(`${plant}: every reader refuses it`, () => {
      const refusals = (file: string): number =>
        errors.filter((error) => error.includes(`/${file}(`) && error.includes(plant)).length;
      const found = Object.keys(READERS[plant]).map((file) => [file, refusals(file)]);
      assert.deepEqual(Object.fromEntries(found), READERS[plant]);
    });
  }

  test("each switch over types is one of these readers, or known to look at a few types only", async () => {
    const switches: Record<string, number> = {};
    for await (const file of glob("**/*.ts", { cwd: join(ROOT, "src") })) {
      const text = await readFile(join(ROOT, "src", file), "utf8");
      const found = text.match(/switch \((?:event|draft|signal|command|effect|record)\.type\)/g)?.length ?? 0;
      if (found > 0 && !Object.keys(OTHER_SWITCHES).some((end) => `/${file}`.endsWith(`/${end}`)))
        switches[file] = found;
    }
    const refused = (file: string): number =>
      Object.values(READERS)
        .flatMap((files) => Object.entries(files))
        .reduce((sum, [end, count]) => sum + (`/${file}`.endsWith(`/${end}`) ? count : 0), 0);
    assert.ok(Object.keys(switches).length > 5);
    assert.deepEqual(
      Object.entries(switches).filter(([file, found]) => refused(file) < found),
      [],
    );
  });
});
