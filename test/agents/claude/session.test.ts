import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import { ClaudeSession } from "../../../src/agents/claude/session.ts";
import type { AgentSession } from "../../../src/agents/contract.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { makeHost } from "../../host/support.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/claude-like.mjs", import.meta.url));

interface Opened {
  session: AgentSession;
  signals: Signal[];
  until(type: Signal["type"]): Promise<Signal>;
}

async function open(t: TestContext, behaviour: string, readyMs = 20_000): Promise<Opened> {
  const { host, directory } = await makeHost(t);
  writeFileSync(join(directory, "behaviour"), behaviour);
  const signals: Signal[] = [];
  const waiting = new Set<() => void>();
  const emit = (signal: Signal): void => {
    signals.push(signal);
    for (const look of waiting) look();
  };
  const options = { host, dataDirectory: directory, program: PROGRAM, env: {}, learned: () => {}, readyMs };
  const session = new ClaudeSession(options, { session: "ses_1", trusted: false, directory, emit });
  const until = (type: Signal["type"]): Promise<Signal> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = signals.find((signal) => signal.type === type);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { session, signals, until };
}

const prompt = { id: "msg_1", parts: [{ type: "text" as const, text: "hello" }] };

test("a program that does not answer is given up, and ended", async (t) => {
  const { session, until } = await open(t, "silent", 300);
  await assert.rejects(session.ready(), /was not ready within 300 ms/);
  await until("exited");
});

test("a program that exits says why, with its last words", async (t) => {
  const { session, until } = await open(t, "dies");
  await assert.rejects(session.ready(), /exited before it was ready[\s\S]*exit code 3[\s\S]*out of luck/);
  const exited = await until("exited");
  assert.ok(exited.type === "exited");
  assert.deepEqual([exited.code, exited.stderr], [3, ["out of luck"]]);
});

test("a request to a program and not to a person is refused, so that nothing waits for ever", async (t) => {
  const { session, signals, until } = await open(t, "asks");
  await session.ready();
  await session.prompt(prompt);
  await until("turn.finished");
  assert.ok(
    signals.some((signal) => signal.type === "text.done" && signal.text === "Parley does not serve hook_callback"),
  );
  await session.close();
});

test("lines that cannot be read are counted and told before the turn's end", async (t) => {
  const { session, signals, until } = await open(t, "noise");
  await session.ready();
  await session.prompt(prompt);
  await until("turn.finished");
  const end = signals.findIndex((signal) => signal.type === "turn.finished");
  const reasons = signals.slice(0, end).flatMap((signal) => (signal.type === "unparsed" ? [signal.reason] : []));
  assert.deepEqual(reasons, ["not_json", "not_an_object", "unknown_type"]);
  await session.close();
});

test("a choice that the program refuses is an error that says so", async (t) => {
  const { session } = await open(t, "noise");
  await session.ready();
  await assert.rejects(session.set({ model: "none" }), /does not take the model none: no such model here/);
  await session.close();
  await session.cancel();
});

test("without a program a session says how to get one", async (t) => {
  const { host, directory } = await makeHost(t);
  const env = { PARLEY_CLAUDE_BIN: "", PATH: directory };
  const agent = createClaudeAgent({ host, dataDirectory: directory, env });
  const signals: Signal[] = [];
  const session = agent.open({ session: "ses_1", trusted: false, directory, emit: (signal) => signals.push(signal) });
  await assert.rejects(session.ready(), /parley install claude/);
  await session.kill(0);
  assert.deepEqual(
    signals.map(({ type }) => type),
    ["exited"],
  );
  const discovery = await agent.discover();
  assert.deepEqual([discovery.installed, discovery.models], [false, []]);
  assert.match(discovery.detail ?? "", /parley install claude/);
  assert.equal(await agent.usable?.(), false);
});

test("it is chosen by itself only when it is there and logged in", async (t) => {
  const { host, directory } = await makeHost(t);
  const usable = (env: Record<string, string | undefined>): Promise<boolean> | undefined =>
    createClaudeAgent({
      host,
      dataDirectory: directory,
      env: { HOME: directory, CLAUDE_CONFIG_DIR: undefined, ANTHROPIC_API_KEY: undefined, ...env },
    }).usable?.();
  assert.equal(await usable({ PARLEY_CLAUDE_BIN: PROGRAM }), false);
  assert.equal(await usable({ PARLEY_CLAUDE_BIN: PROGRAM, ANTHROPIC_API_KEY: "x" }), true);
  assert.equal(await usable({ PARLEY_CLAUDE_BIN: join(directory, "none"), ANTHROPIC_API_KEY: "x" }), false);
});
