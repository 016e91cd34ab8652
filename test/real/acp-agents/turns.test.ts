import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { commandOf, realRig } from "../../agents/acp/real-stage.ts";
import { broken, said } from "../../agents/acp/stage.ts";
import { REAL, type Real } from "../../agents/acp/surroundings.ts";
import { Watched } from "../../agents/contract/watched.ts";
import { GROUP_MS, long } from "../../support/time.ts";

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
      },
    };
  };
  const answering = (watched: Watched, answer: Answer): void => {
    watched.onSignal = (signal) => {
      if (signal.type === "permission") void watched.session.answer(signal.ask, answer);
    };
  };

  describe(`the real ${name}`, { skip, timeout: GROUP_MS, concurrency: 1 }, () => {
    test(`reads, asks, edits and answers${KEEPS_PAST.has(name) ? ", and is resumed with its past" : ""}`, async (t) => {
      const rig = await realRig(t, name, argv ?? ["none"], scriptOf);
      const watched = await new Watched(rig, { trusted: true }).ready();
      answering(watched, { kind: "permission", outcome: "once" });
      const ended = await watched.turn("[[edit]] please");
      assert.equal(ended.reason, "end_turn");
      assert.ok((ended.usage?.tokens?.input ?? 0) > 0);
      assert.equal(readFileSync(join(rig.directory, "hello.txt"), "utf8"), "hello universe\nline two\n");
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
      await watched.soon("close", watched.session.close());
      if (KEEPS_PAST.has(name)) await resumed(rig, watched);
      assert.deepEqual(rig.processes(), []);
    });

    test(
      "hears a refusal: the call fails, the file stays, and the turn ends by itself",
      name === "claude-acp" ? {} : long,
      async (t) => {
        const rig = await realRig(t, name, argv ?? ["none"], scriptOf);
        const watched = await new Watched(rig, { trusted: true }).ready();
        answering(watched, { kind: "permission", outcome: "reject" });
        assert.equal((await watched.turn("[[edit]] please")).reason, "end_turn");
        assert.equal(watched.all("tool.done").at(-1)?.error?.code, "rejected");
        assert.equal(readFileSync(join(rig.directory, "hello.txt"), "utf8"), "hello world\nline two\n");
        assert.equal((await watched.turn("hello")).reason, "end_turn");
        await watched.soon("close", watched.session.close());
      },
    );
  });

  async function resumed(rig: Awaited<ReturnType<typeof realRig>>, before: Watched): Promise<void> {
    const resume = before.all("session").find(({ nativeId }) => nativeId)?.nativeId ?? "";
    const again = await new Watched(rig, { trusted: true, resume, tellPast: true }).ready();
    assert.ok(again.all("replay.prompt").some(({ parts }) => JSON.stringify(parts).includes("please")));
    assert.equal(again.all("tool.done").length, 2);
    assert.equal((await again.turn("hello")).reason, "end_turn");
    await again.soon("close", again.session.close());
  }
}
