import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CommandHost, RunningCommand } from "../../src/host/contract.ts";
import { createProcessHost } from "../../src/host/process-host.ts";
import { eventually } from "../support/eventually.ts";
import { alive, identify, tempDirectory } from "./support.ts";

interface Place {
  directory: string;
  run(command: string, directory?: string): { running: RunningCommand; said(text: string | RegExp): Promise<string> };
}

async function place(t: TestContext): Promise<Place> {
  const directory = await tempDirectory(t);
  const host: CommandHost = createProcessHost({ runDirectory: join(directory, "run"), instance: "command-test" });
  return {
    directory,
    run(command, cwd = directory) {
      let all = "";
      const waiting = new Set<() => void>();
      const spec = { argv: ["sh", "-c", command] as const, directory: cwd, session: "ses_test" };
      const running = host.run(spec, {
        output(text) {
          all += text;
          for (const look of waiting) look();
        },
      });
      t.after(() => running.kill(0));
      const said = (wanted: string | RegExp): Promise<string> =>
        new Promise((resolve) => {
          const look = (): void => {
            if (typeof wanted === "string" ? all.includes(wanted) : wanted.test(all)) resolve(all);
          };
          waiting.add(look);
          look();
        });
      return { running, said };
    },
  };
}

test("output comes as it is written, both streams in order, and the exit after it", async (t) => {
  const { run } = await place(t);
  const { running, said } = run("printf 'a\\n'; printf 'b\\n' >&2; printf '\\303\\244'; exit 7");
  assert.deepEqual(await running.exited, { code: 7, signal: null });
  assert.equal(await said("b"), "a\nb\nä");
});

test("it has nothing to read", async (t) => {
  const { run } = await place(t);
  const { running, said } = run("cat; echo over");
  await running.exited;
  assert.equal(await said("over"), "over\n");
});

test("background processes of a command do not hold it up, and end with it", async (t) => {
  const { run } = await place(t);
  const { running, said } = run("sleep 600 & echo pid $!");
  const [, pid = ""] = /pid (\d+)/.exec(await said(/pid \d+\n/)) ?? [];
  const child = identify(Number(pid));
  assert.equal((await running.exited).code, 0);
  await eventually("the child ends", () => !alive(child));
});

test("a kill reaches processes that ignore TERM or left the group", async (t) => {
  const { run } = await place(t);
  const { running, said } = run("trap '' TERM; setsid sleep 600 & sleep 600 & echo pids $$ $!; wait; wait");
  const [, ...pids] = /pids (\d+) (\d+)/.exec(await said(/pids \d+ \d+\n/)) ?? [];
  const all = pids.map((pid) => identify(Number(pid)));
  await running.kill(50);
  await running.exited;
  assert.deepEqual(all.map(alive), [false, false]);
});

test("a directory that is not there is said so", async (t) => {
  const { run, directory } = await place(t);
  await assert.rejects(run("true", join(directory, "gone")).running.exited, /does not exist/);
});

test("the table of processes is empty afterwards", async (t) => {
  const { run, directory } = await place(t);
  const { running } = run("true");
  await running.exited;
  await running.kill(0);
  assert.deepEqual(await readdir(join(directory, "run")), []);
});
