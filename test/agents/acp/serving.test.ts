import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { programSpec } from "../../../src/agents/acp/launch.ts";
import { KeptOutput } from "../../../src/agents/acp/serve/kept-output.ts";
import type { Watched } from "../contract/watched.ts";
import { played, said, setStage, update } from "./stage.ts";

const ask = (method: string, params: object) => ({ request: { method, params }, tellAnswer: true });

interface Ruled {
  verdict: "go" | "ask" | "deny";
  answer?: "once" | "reject";
}

/** Answers intents and permissions as rules and a person would. */
function rule(watched: Watched, { verdict, answer = "once" }: Ruled): void {
  watched.onSignal = (signal) => {
    const { session } = watched;
    if (signal.type === "intent" && verdict === "deny")
      void session.answer(signal.ask, { kind: "permission", outcome: "reject", feedback: "a rule denies it" });
    else if (signal.type === "intent") void session.decide?.(signal.ask, verdict === "ask" ? "ask" : "go");
    if (signal.type === "permission") void session.answer(signal.ask, { kind: "permission", outcome: answer });
  };
}

async function asked(t: TestContext, steps: (directory: string) => object[], ruled?: Ruled) {
  const { open, directory, rig } = await setStage(t);
  writeFileSync(join(directory, "a.txt"), "one\ntwo\nthree\n");
  const watched = await open(ruled ? { hasRules: () => true } : {});
  if (ruled) rule(watched, ruled);
  await watched.turn(played(steps(directory)));
  await watched.session.close();
  assert.deepEqual(rig.processes(), [], "expected no process after close");
  return { text: said(watched), watched, directory };
}

const read = (path: string, facts: object = {}) => ask("fs/read_text_file", { path, ...facts });
const write = (path: string, content: string) => ask("fs/write_text_file", { path, content });

describe("files", () => {
  test("of the directory are read, whole or by lines", async (t) => {
    const { text } = await asked(t, (directory) => [
      read(join(directory, "a.txt")),
      read(join(directory, "a.txt"), { line: 2, limit: 1 }),
    ]);
    assert.equal(text, `${JSON.stringify({ content: "one\ntwo\nthree\n" })}${JSON.stringify({ content: "two\n" })}`);
  });

  test("are written, new ones with their directories", async (t) => {
    const { directory } = await asked(t, (root) => [
      write(join(root, "a.txt"), "short"),
      write(join(root, "new", "deep", "b.txt"), "b"),
    ]);
    assert.equal(readFileSync(join(directory, "a.txt"), "utf8"), "short");
    assert.equal(readFileSync(join(directory, "new", "deep", "b.txt"), "utf8"), "b");
  });

  test("elsewhere are refused, behind a link, too", async (t) => {
    const outside = join(tmpdir(), "parley-acp-outside.txt");
    const { text } = await asked(t, (directory) => {
      symlinkSync("/etc", join(directory, "link"));
      return [
        read("/etc/hostname"),
        read(join(directory, "link", "hostname")),
        write(outside, "x"),
        read(join(directory, "none")),
      ];
    });
    assert.equal(text.match(/-32602/g)?.length, 4, text);
  });

  test("that a rule denies are neither read nor written", async (t) => {
    const { text, directory } = await asked(t, (root) => [read(join(root, "a.txt")), write(join(root, "a.txt"), "x")], {
      verdict: "deny",
    });
    assert.equal(text.match(/a rule denies it/g)?.length, 2);
    assert.equal(readFileSync(join(directory, "a.txt"), "utf8"), "one\ntwo\nthree\n");
  });

  test("that a rule has asked are asked about", async (t) => {
    for (const answer of ["once", "reject"] as const) {
      const { text, watched } = await asked(t, (root) => [write(join(root, "a.txt"), "x")], { verdict: "ask", answer });
      assert.deepEqual(
        watched.all("permission").map(({ action, patterns }) => [action, patterns]),
        [["edit", ["a.txt"]]],
      );
      assert.equal(text.includes("-32602"), answer === "reject");
    }
  });

  test("of a call that was just allowed are not asked about twice", async (t) => {
    const { watched } = await asked(
      t,
      (root) => {
        const toolCall = { toolCallId: "e", title: "a.txt", kind: "edit", locations: [{ path: join(root, "a.txt") }] };
        const options = [{ optionId: "y", name: "y", kind: "allow_once" }];
        return [ask("session/request_permission", { toolCall, options }), write(join(root, "a.txt"), "x")];
      },
      { verdict: "ask" },
    );
    assert.equal(watched.all("permission").length, 1);
    assert.equal(watched.all("intent").length, 0);
  });

  test("are not written outside of a turn where there are rules: nobody could be asked", async (t) => {
    const { open, directory } = await setStage(t);
    const watched = await open({ hasRules: () => true });
    rule(watched, { verdict: "go" });
    await watched.prompt(played([], undefined, [write(join(directory, "late.txt"), "x")]));
    await watched.until("a note", () => watched.all("note").some(({ text }) => text.includes("no turn is open")));
    assert.equal(existsSync(join(directory, "late.txt")), false);
    await watched.session.close();
  });

  test("rules that hold only in part are told once for a start", async (t) => {
    const { open } = await setStage(t);
    const watched = await open({ hasRules: () => true });
    await watched.turn("count 1");
    await watched.turn("count 1");
    assert.equal(watched.all("note").filter(({ code }) => code === "rules_in_part").length, 1);
    await watched.session.close();
  });
});

describe("terminals", () => {
  const create = (params: object) => ({ ...ask("terminal/create", params), keep: "terminal" });
  const use = (method: string) => ({ terminal: { method }, tellAnswer: true });

  test("run a command, show its output in the call, and tell its exit", async (t) => {
    const { text, watched } = await asked(t, () => [
      update("tool_call", { toolCallId: "t", title: "echo", kind: "execute", status: "in_progress" }),
      create({ command: "sh", args: ["-c", "echo $WORD; exit 3"], env: [{ name: "WORD", value: "hällo" }] }),
      { terminalCall: { toolCallId: "t" } },
      use("terminal/wait_for_exit"),
      use("terminal/output"),
      use("terminal/release"),
      use("terminal/output"),
      update("tool_call_update", { toolCallId: "t", status: "completed" }),
    ]);
    assert.match(text, /"exitCode":3/);
    assert.match(text, /"output":"hällo\\n","truncated":false/);
    assert.match(text, /there is no terminal/);
    assert.equal(watched.all("tool.done")[0]?.output, "hällo\n");
  });

  test("have not Parley's token", async (t) => {
    process.env.PARLEY_TOKEN = "sesame";
    t.after(() => delete process.env.PARLEY_TOKEN);
    const env = [{ name: "PARLEY_TOKEN", value: "theirs" }];
    const { text } = await asked(t, () => [
      create({ command: "echo token:$PARLEY_TOKEN.", env }),
      use("terminal/wait_for_exit"),
      use("terminal/output"),
    ]);
    assert.match(text, /"output":"token:\.\\n"/);
    const launch = { found: { argv: ["x"] as const }, env: { PARLEY_TOKEN: "sesame" } };
    const spec = programSpec(launch, { directory: "/", session: "s", trusted: true });
    assert.deepEqual([Object.hasOwn(spec.env ?? {}, "PARLEY_TOKEN"), spec.env?.PARLEY_TOKEN], [true, undefined]);
  });

  test("take a line of shell, and end with the session", async (t) => {
    const { text } = await asked(t, () => [create({ command: "echo a && sleep 1000" })]);
    assert.match(text, /terminalId/);
  });

  test("are killed, work in the directory alone, and keep the end of their output", async (t) => {
    const { text } = await asked(t, (directory) => {
      mkdirSync(join(directory, "in"));
      return [
        create({ command: "pwd", cwd: "/" }),
        create({ command: "printf äöü; sleep 1000", cwd: join(directory, "in"), outputByteLimit: 3 }),
        use("terminal/kill"),
        use("terminal/wait_for_exit"),
        use("terminal/output"),
      ];
    });
    assert.match(text, /expected a cwd inside/);
    assert.match(text, /"signal":"SIG|"exitCode":1/);
  });

  test("are held against the rules", async (t) => {
    const { text, watched } = await asked(t, () => [create({ command: "touch x" })], { verdict: "deny" });
    assert.match(text, /a rule denies it/);
    assert.equal(watched.all("intent")[0]?.command, "touch x");
  });
});

test("a kept output is cut between characters", () => {
  const output = new KeptOutput(4);
  output.add("aäöü");
  assert.equal(output.text, "öü");
  assert.equal(output.isCut, true);
  const small = new KeptOutput(10);
  small.add("äöü");
  assert.equal(small.text, "äöü");
  assert.equal(small.isCut, false);
});
