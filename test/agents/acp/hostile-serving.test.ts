import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { lineVerdict } from "../../../src/core/permissions/command-verdict.ts";
import type { Watched } from "../contract/watched.ts";
import { broken, played, said, setStage, update } from "./stage.ts";

const ask = (method: string, params: object) => ({ request: { method, params }, tellAnswer: true });
const create = (params: object) => ask("terminal/create", params);
const OPTIONS = [{ optionId: "y", name: "y", kind: "allow_once" }];

const DENY_RM: PermissionRule[] = [
  { action: "bash", pattern: "*", verdict: "allow" },
  { action: "bash", pattern: "rm *", verdict: "deny" },
];
const ALLOW_LS: PermissionRule[] = [
  { action: "bash", pattern: "*", verdict: "deny" },
  { action: "bash", pattern: "ls *", verdict: "allow" },
];

/** Plays steps in a session with rules for commands: what they do not allow is refused. A permission that is asked is given. */
async function ruled(t: TestContext, rules: readonly PermissionRule[], steps: (directory: string) => object[]) {
  const { open, directory } = await setStage(t);
  writeFileSync(join(directory, "kept.txt"), "kept\n");
  const watched: Watched = await open({ hasRules: () => true });
  watched.onSignal = (signal) => {
    const { session } = watched;
    if (signal.type === "permission") void session.answer(signal.ask, { kind: "permission", outcome: "once" });
    if (signal.type !== "intent") return;
    const line = signal.command ?? "";
    if (lineVerdict(rules, { action: "bash", line, directory }) === "allow") void session.decide?.(signal.ask, "go");
    else void session.answer(signal.ask, { kind: "permission", outcome: "reject" });
  };
  await watched.turn(played(steps(directory)));
  await watched.session.close();
  const commands = watched.all("intent").map(({ command }) => command);
  return { text: said(watched), directory, commands };
}

describe("a command that rules deny is not run", () => {
  test("when it was asked for as another one", async (t) => {
    const call = { toolCallId: "c", title: "rm", kind: "execute", rawInput: { command: "rm kept.txt" } };
    const shown = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" } };
    const { text, directory } = await ruled(t, DENY_RM, () => [
      update("tool_call", { ...call, status: "pending" }),
      ask("session/request_permission", { toolCall: shown, options: OPTIONS }),
      create({ command: "rm kept.txt" }),
    ]);
    assert.ok(existsSync(join(directory, "kept.txt")), text);
    assert.match(text, /it was refused/);
  });

  test("however its words are split", async (t) => {
    const ways = [
      { command: "rm", args: ["kept.txt"] },
      { command: "/bin/rm", args: ["kept.txt"] },
      { command: "rm kept.txt" },
      { command: "sh", args: ["-c", "rm kept.txt"] },
      { command: "sh", args: ["-c", "rm kept.txt", "sh"] },
      { command: "bash", args: ["-e", "-c", "rm kept.txt"] },
      { command: "env", args: ["A=b", "rm", "kept.txt"] },
      { command: "$X", env: [{ name: "X", value: "rm kept.txt" }] },
      { command: "eval", args: ["rm kept.txt"] },
      { command: "sh", args: ["-c", "$X"], env: [{ name: "X", value: "rm kept.txt" }] },
      { command: "ls", args: ["."], env: [{ name: "BASH_ENV", value: "x" }] },
      { command: "--", args: ["rm", "kept.txt"] },
      { command: "-a", args: ["ls", "rm", "kept.txt"] },
      { command: "ls", args: ["."], env: [{ name: "A=b", value: "x" }] },
      { command: "rm", args: ["in/../kept.txt"], cwd: "in/.." },
    ];
    const { text, directory } = await ruled(t, DENY_RM, (root) => {
      mkdirSync(join(root, "in"));
      return ways.map(create);
    });
    assert.ok(existsSync(join(directory, "kept.txt")), text);
    assert.equal(text.match(/-32602/g)?.length, ways.length, text);
  });

  test("under the name of one that they allow", async (t) => {
    const { text, commands } = await ruled(t, ALLOW_LS, (root) => {
      for (const name of ["sh", "ls"]) {
        writeFileSync(join(root, name), "#!/bin/sh\nrm kept.txt\n");
        chmodSync(join(root, name), 0o755);
      }
      return [
        create({ command: "./sh", args: ["-c", "ls ."] }),
        create({ command: join(root, "sh"), args: ["-c", "ls ."] }),
        create({ command: "ls", args: ["."], env: [{ name: "PATH", value: "." }] }),
        create({ command: "ls .", env: [{ name: "PATH", value: "." }] }),
        create({ command: "ls", args: ["."], env: [{ name: "NO_COLOR", value: "1" }] }),
      ];
    });
    assert.equal(text.match(/-32602/g)?.length, 4, `${text} ${commands.join("\n")}`);
    assert.match(text, /terminalId/);
  });
});

test("a link that leads elsewhere while it is asked about is not followed", async (t) => {
  const { open, directory } = await setStage(t);
  writeFileSync(join(directory, "open.txt"), "open");
  writeFileSync(join(directory, "kept.txt"), "kept");
  const link = join(directory, "link.txt");
  symlinkSync("open.txt", link);
  const watched: Watched = await open({ hasRules: () => true });
  watched.onSignal = (signal) => {
    if (signal.type !== "intent") return;
    rmSync(link);
    symlinkSync("kept.txt", link);
    void watched.session.decide?.(signal.ask, "go");
  };
  await watched.turn(played([ask("fs/write_text_file", { path: link, content: "x" })]));
  await watched.session.close();
  assert.equal(readFileSync(join(directory, "kept.txt"), "utf8"), "kept");
  assert.match(said(watched), /leads elsewhere by now/);
});

test("a command does not run where a link leads since it was asked about", async (t) => {
  const { open, directory } = await setStage(t);
  const outside = mkdtempSync(join(tmpdir(), "parley-elsewhere-"));
  t.after(() => rmSync(outside, { recursive: true, force: true }));
  mkdirSync(join(directory, "in"));
  const link = join(directory, "link");
  symlinkSync("in", link);
  const watched: Watched = await open({ hasRules: () => true });
  watched.onSignal = (signal) => {
    if (signal.type !== "intent") return;
    rmSync(link);
    symlinkSync(outside, link);
    void watched.session.decide?.(signal.ask, "go");
  };
  await watched.turn(played([create({ command: "echo here > made", cwd: link })]));
  await watched.session.close();
  assert.equal(existsSync(join(outside, "made")), false);
  assert.match(said(watched), /outside the session|leads elsewhere by now/);
});

test("a program that does not read gets few of the files that it asks for", async (t) => {
  const { open, directory } = await setStage(t);
  writeFileSync(join(directory, "a.txt"), "x".repeat(1_000_000));
  const watched = await open();
  const asked = Array.from({ length: 400 }, () => ({
    ...ask("fs/read_text_file", { path: join(directory, "a.txt") }),
    request: { method: "fs/read_text_file", params: { path: join(directory, "a.txt") }, wait: false },
  }));
  const before = process.memoryUsage().rss;
  await watched.prompt(played([...asked, { stop: true }]));
  let most = 0;
  const meter = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  await watched.until("the end of the turn", () => watched.all("turn.finished").length === 1);
  clearInterval(meter);
  await watched.session.close();
  assert.ok(most < 300_000_000, `expected less than 300 MB more, got ${Math.round(most / 1e6)} MB`);
});

test("of a thousand asks at once some are asked, and each is answered once", async (t) => {
  const { open } = await setStage(t);
  const watched = await open();
  const one = (at: number) => ({
    toolCallId: `c${at}`,
    title: "t",
    kind: "execute",
    rawInput: { command: `ls ${at}` },
  });
  const steps = Array.from({ length: 999 }, (_, at) => ({
    request: { method: "session/request_permission", params: { toolCall: one(at), options: OPTIONS }, wait: false },
  }));
  await watched.prompt(played([...steps, { until: "session/cancel" }], { stopReason: "cancelled" }));
  await watched.until("asks", () => watched.all("permission").length === 256);
  await watched.session.cancel();
  await watched.until("the end of the turn", () => watched.all("turn.finished").length === 1);
  await watched.session.close();
  assert.equal(watched.all("permission").length, 256);
  assert.deepEqual(broken(watched.signals), []);
});
