import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { describe, type TestContext, test } from "node:test";
import { readLock } from "../../../src/host/data-lock.ts";
import { finished, type Result } from "../../cli/support.ts";
import { realClient } from "../../support/acp/real-client.ts";
import { shownAcpxLines } from "../../support/acp/shown.ts";
import { eventually } from "../../support/eventually.ts";
import { GROUP_MS, long } from "../../support/time.ts";
import { EDIT, Stage } from "./stage.ts";

const { script = "", skip } = await realClient("acpx");

const SCRIPT = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    edit: [{ text: "I change it.", tools: [EDIT] }, { text: "It is changed." }],
    hang: [{ text: ["I begin. ", { text: "I end.", hold: "gate" }] }],
  },
};

/** Persistent sessions of acpx have a process that waits for prompts; a short life of it ends even after a test that failed. */
const TTL = ["--ttl", "20"];

class Acpx {
  readonly stage: Stage;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  static async open(t: TestContext): Promise<Acpx> {
    const acpx = new Acpx(await Stage.open(t, { script: SCRIPT }));
    acpx.stage.onClose = () => acpx.run("sessions", "close");
    return acpx;
  }

  start(...args: string[]): ChildProcess {
    const { home, env } = this.stage;
    return spawn(process.execPath, [script, "--agent", "parley acp", ...TTL, ...args], {
      cwd: home.work,
      env: home.env(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  run(...args: string[]): Promise<Result> {
    return finished(this.start(...args));
  }
}

interface Line {
  method?: string;
  result?: { stopReason?: string };
}

describe("the real acpx in front of parley acp", { skip, timeout: GROUP_MS }, () => {
  for (const line of new Set(shownAcpxLines())) {
    test(`as shown: ${line}`, long, async (t) => {
      const { home, env } = await Stage.open(t, { script: SCRIPT });
      const shell = spawn("sh", ["-c", `acpx() { '${process.execPath}' '${script}' "$@"; }\n${line}`], {
        cwd: home.work,
        env: home.env(env),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, stdout, stderr } = await finished(shell);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /You said: /);
      assert.match(stdout, /\[done\] end_turn/);
      assert.equal(readLock(home.dataDir), undefined, "parley acp has ended with it");
    });
  }

  test("exec --approve-all with an edit, as strict JSON: one answer, after all updates", async (t) => {
    const acpx = await Acpx.open(t);
    const flags = ["--approve-all", "--format", "json", "--json-strict"];
    const { code, stdout, stderr } = await acpx.run(...flags, "exec", "[[edit]]");
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    assert.equal(lines.filter(({ method }) => method === "session/request_permission").length, 1);
    assert.deepEqual(
      lines.flatMap(({ result }) => result?.stopReason ?? []),
      ["end_turn"],
    );
    assert.equal(lines.at(-1)?.result?.stopReason, "end_turn");
    assert.equal(acpx.stage.readme, "# Demo\n\nhello\nadded\n");
  });

  test("sessions new, prompt, status, set mode, set-mode, set model, --deny-all, close", async (t) => {
    const acpx = await Acpx.open(t);
    const ok = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await acpx.run("--approve-all", ...args);
      assert.equal(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
      return stdout;
    };
    const id = (await ok("sessions", "new")).trim().split("\n").at(-1) ?? "";
    assert.match(await ok("prompt", "first words"), /You said: first words/);
    assert.match(await ok("status"), /status: running/);
    await ok("set", "mode", "plan");
    await ok("set-mode", "build");
    const models = JSON.parse((await acpx.stage.parley("agents", "--json")).stdout) as {
      name: string;
      models: { id: string }[];
    }[];
    const other = models.find(({ name }) => name === "house")?.models.at(-1)?.id ?? "";
    await ok("set", "model", other);
    assert.match(await ok("prompt", "second words"), /You said: second words/);
    const sessions = async () =>
      JSON.parse((await acpx.stage.parley("sessions", "--json")).stdout) as {
        id: string;
        mode?: string;
        model?: string;
      }[];
    const [session, ...others] = await sessions();
    assert.deepEqual([session?.id, session?.mode, session?.model, others.length], [id, "build", other, 0]);
    const { code, stdout } = await acpx.run("--deny-all", "prompt", "Read README.md and add a line at the end");
    assert.equal(code, 5, stdout);
    assert.equal(acpx.stage.readme, "# Demo\n\nhello\n");
    await ok("sessions", "close");
    await eventually("parley acp has ended", () => readLock(acpx.stage.home.dataDir) === undefined);
  });

  test("cancel: the prompt ends as cancelled, and the next one runs, also after parley acp was ended", async (t) => {
    const acpx = await Acpx.open(t);
    assert.equal((await acpx.run("sessions", "new")).code, 0);
    const prompt = finished(acpx.start("prompt", "[[hang]]"));
    await acpx.stage.model.until(() => acpx.stage.model.held.has("gate"));
    assert.equal((await acpx.run("cancel")).code, 0);
    const { code, stdout } = await prompt;
    assert.equal(code, 0);
    assert.match(stdout, /\[done\] cancelled/);
    assert.match((await acpx.run("prompt", "go on")).stdout, /You said: go on/);

    const first = readLock(acpx.stage.home.dataDir)?.pid ?? 0;
    process.kill(first, "SIGTERM");
    await eventually("parley acp has ended", () => readLock(acpx.stage.home.dataDir) === undefined);
    const again = await acpx.run("prompt", "once more");
    assert.match(again.stdout, /You said: once more/, again.stderr);
    const { body } = acpx.stage.model.requests.at(-1) ?? {};
    assert.match(JSON.stringify(body), /go on.*once more/, "it came to the same conversation");
    const listed = JSON.parse((await acpx.stage.parley("sessions", "--json")).stdout) as unknown[];
    assert.equal(listed.length, 1);
  });
});
