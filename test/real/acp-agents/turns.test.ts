import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { commandOf, type RealRig, realRig } from "../../agents/acp/real-stage.ts";
import { broken, said } from "../../agents/acp/stage.ts";
import { REAL, type Real } from "../../agents/acp/surroundings.ts";
import { Watched } from "../../agents/contract/watched.ts";
import { Closers } from "../../support/closers.ts";
import { GROUP_MS } from "../../support/time.ts";

const HELLO = "hello world\nline two\n";

type Tool = { name: string; input: Record<string, unknown> };

/** The tools by which each agent reads and changes the file. */
const TOOLS: Record<Real, (file: string) => [read: Tool, edit: Tool]> = {
  "claude-acp": (file) => [
    { name: "Read", input: { file_path: file } },
    { name: "Edit", input: { file_path: file, old_string: "hello world", new_string: "hello universe" } },
  ],
  "opencode-acp": (file) => [
    { name: "read", input: { filePath: file } },
    { name: "edit", input: { filePath: file, oldString: "hello world", newString: "hello universe" } },
  ],
  "codex-acp": () => [
    { name: "exec_command", input: { cmd: "cat hello.txt" } },
    {
      name: "exec_command",
      input: {
        cmd: "sed -i s/world/universe/ hello.txt",
        sandbox_permissions: "require_escalated",
        justification: "edit",
      },
    },
  ],
  gemini: (file) => [
    { name: "read_file", input: { file_path: file } },
    {
      name: "replace",
      input: { file_path: file, instruction: "greet all", old_string: "hello world", new_string: "hello universe" },
    },
  ],
};

/** What each agent calls these, as clients see it. */
const NAMES: Record<Real, string[]> = {
  "claude-acp": ["Read", "Edit"],
  "opencode-acp": ["read", "edit"],
  "codex-acp": ["read", "bash"],
  gemini: ["read", "edit"],
};

/** Gemini finds a session again only sometimes, and may tell its past after its answer. */
const KEEPS_PAST: ReadonlySet<Real> = new Set<Real>(["claude-acp", "codex-acp", "opencode-acp"]);

for (const name of REAL) {
  const { argv, skip } = await commandOf(name);
  const scriptOf = (project: string) => {
    const [read, edit] = TOOLS[name](join(project, "hello.txt"));
    return {
      prompts: {
        "*": [{ text: "Hi there." }],
        edit: [{ text: "Reading.", tools: [read] }, { text: "Editing.", tools: [edit] }, { text: "Done." }],
        hang: [{ text: ["I begin. ", { text: "I end.", hold: "gate" }] }],
      },
    };
  };

  describe(`the real ${name}`, { skip, timeout: GROUP_MS, concurrency: 1 }, () => {
    const closers = new Closers();
    let rig: RealRig;
    let watched: Watched;

    before(async () => {
      rig = await realRig(closers, name, argv ?? ["none"], scriptOf);
      watched = await new Watched(rig, { trusted: true }).ready();
    });
    after(() => closers.close());

    const file = (): string => readFileSync(join(rig.directory, "hello.txt"), "utf8");

    function answering(outcome: "once" | "reject"): void {
      watched.onSignal = (signal) => {
        if (signal.type === "permission") void watched.session.answer(signal.ask, { kind: "permission", outcome });
      };
    }

    test("reads, asks, edits and answers", async () => {
      answering("once");
      const ended = await watched.turn("[[edit]] please");
      assert.equal(ended.reason, "end_turn");
      assert.ok((ended.usage?.tokens?.input ?? 0) > 0);
      assert.equal(file(), "hello universe\nline two\n");
      assert.match(said(watched), /Reading\..*Editing\..*Done\./s);
      const calls = [...watched.all("tool.seen"), ...watched.all("tool.running")];
      const named = new Map(
        watched.all("tool.done").map(({ call }) => [call, calls.find((one) => one.call === call)?.name]),
      );
      assert.deepEqual([...named.values()], NAMES[name]);
      assert.ok(watched.all("tool.done").every(({ ok }) => ok));
      const [asked] = watched.all("permission");
      assert.equal(asked?.action, name === "codex-acp" ? "bash" : "edit");
      if (name !== "codex-acp") {
        assert.deepEqual(asked?.patterns, ["hello.txt"]);
        const files = watched.all("tool.done").flatMap((done) => done.files ?? []);
        assert.match(
          files[0]?.diff ?? "",
          /^--- a\/hello\.txt\n\+\+\+ b\/hello\.txt\n@@ -1,2 \+1,2 @@\n-hello world\n\+hello universe\n line two\n$/,
        );
      }
      assert.deepEqual(broken(watched.signals), []);
    });

    if (KEEPS_PAST.has(name))
      test("is resumed with its past", async () => {
        const resume = watched.all("session").find(({ nativeId }) => nativeId)?.nativeId ?? "";
        await ended();
        watched = await new Watched(rig, { trusted: true, resume, tellPast: true }).ready();
        assert.ok(watched.all("replay.prompt").some(({ parts }) => JSON.stringify(parts).includes("please")));
        assert.equal(watched.all("tool.done").length, 2);
        assert.equal((await watched.turn("hello")).reason, "end_turn");
      });

    test("hears a refusal: the call fails, the file stays, and the turn ends by itself", async () => {
      writeFileSync(join(rig.directory, "hello.txt"), HELLO);
      answering("reject");
      assert.equal((await watched.turn("[[edit]] once more")).reason, "end_turn");
      assert.equal(watched.all("tool.done").at(-1)?.error?.code, "rejected");
      assert.equal(file(), HELLO);
      assert.equal((await watched.turn("hello")).reason, "end_turn");
    });

    test("is stopped in the middle of a turn, and takes the next prompt", async () => {
      const before = watched.all("turn.finished").length;
      await watched.prompt("[[hang]]");
      await watched.until("its first words", () => said(watched).includes("I begin."));
      await watched.soon("cancel", watched.session.cancel());
      await watched.until("the end of its turn", () => watched.all("turn.finished").length > before);
      assert.equal(watched.all("turn.finished").at(-1)?.reason, "cancelled");
      assert.equal((await watched.turn("hello")).reason, "end_turn");
      assert.equal(watched.all("turn.finished").length, before + 2);
      assert.doesNotMatch(said(watched), /I end\./);
      await ended();
    });

    async function ended(): Promise<void> {
      await watched.soon("close", watched.session.close());
      assert.deepEqual(rig.processes(), []);
    }
  });
}
