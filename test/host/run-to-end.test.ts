import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type CommandSpec, SpawnFailed } from "../../src/host/contract.ts";
import { createProcessHost } from "../../src/host/process-host.ts";
import { type Captured, capture } from "../../src/host/run-to-end.ts";
import { tempDirectory } from "./support.ts";

type Run = (
  argv: CommandSpec["argv"],
  more?: Partial<Parameters<typeof capture>[0] & CommandSpec>,
) => Promise<Captured>;

async function place(t: TestContext): Promise<Run> {
  const directory = await tempDirectory(t);
  const host = createProcessHost({ runDirectory: join(directory, "run"), instance: "run-to-end" });
  return (argv, { errors, ...more } = {}) =>
    capture({
      host,
      spec: { argv, directory, session: "ses_test", ...(errors ? { errors } : {}) },
      limitMs: 20_000,
      maxChars: 1_000,
      ...more,
    });
}

test("standard error of a command comes with its output, or not at all", async (t) => {
  const run = await place(t);
  const argv = ["sh", "-c", "echo out; echo err >&2; exit 3"] as const;
  assert.deepEqual(await run(argv), { text: "out\nerr\n", code: 3 });
  assert.deepEqual(await run(argv, { errors: "dropped" }), { text: "out\n", code: 3 });
});

test("a command that writes or takes too much is ended, and what it wrote by then is kept", async (t) => {
  const run = await place(t);
  const endless = await run(["sh", "-c", "while :; do echo 0123456789; done"], { maxChars: 50 });
  assert.equal(endless.stopped, "output");
  assert.equal(endless.text.length, 50);
  const slow = await run(["sh", "-c", "echo begun; exec sleep 600"], { limitMs: 300 });
  assert.deepEqual({ text: slow.text, stopped: slow.stopped }, { text: "begun\n", stopped: "time" });
});

test("arguments are no shell's business, and a program that is not there is said so", async (t) => {
  const run = await place(t);
  assert.equal((await run(["echo", "$(id)", "; true", "*"])).text, "$(id) ; true *\n");
  await assert.rejects(run(["no-such-program-at-all"], { errors: "dropped" }), SpawnFailed);
});
