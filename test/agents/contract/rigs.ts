import { randomUUID } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { createAcpAgent } from "../../../src/agents/acp/agent.ts";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import { createCodexAgent } from "../../../src/agents/codex/agent.ts";
import { createHouseAgent } from "../../../src/agents/house/agent.ts";
import { DEMO, findModels, type Models } from "../../../src/agents/house/model/models.ts";
import { bash } from "../../../src/agents/house/tools/bash.ts";
import type { Tool } from "../../../src/agents/house/tools/tool.ts";
import { createLineProtocolAgent } from "../../../src/agents/line-protocol/agent.ts";
import type { CommandHost, ProcessHost } from "../../../src/host/contract.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import { listStrays, reap } from "../../../src/host/reaper.ts";
import { fixture } from "../../host/support.ts";
import type { Cleanup } from "../../support/server.ts";
import { type CallOptions, call, type Part, playing, say } from "../house/support.ts";
import { createPlainAgent } from "../plain/agent.ts";
import type { ContractRig } from "./suite.ts";

const CLAUDE = fileURLToPath(new URL("../../fixtures/agents/claude-as-told.mjs", import.meta.url));
const CODEX = fileURLToPath(new URL("../../fixtures/agents/codex-as-told.mjs", import.meta.url));
const ACP = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));
/** Longer than a program of the tests takes to start, where it must start; a silent one is given up after it. */
const SILENT_MS = 300;

interface Place {
  host: ProcessHost & CommandHost;
  runDirectory: string;
  instance: string;
  directory: string;
  processes(): number[];
}

/** A directory and a host of its own; whatever a failing check leaves running is ended with the test. */
export async function makePlace(t: Cleanup): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "parley-contract-")));
  const place = { runDirectory: join(root, "run"), instance: `contract-${randomUUID()}` };
  t.after(async () => {
    await reap({ ...place, graceMs: 0 });
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  const host = createProcessHost(place);
  return { ...place, host, directory: root, processes: () => listStrays(place).map(({ pid }) => pid) };
}

export async function lineProtocolRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const agent = (argv: [string, ...string[]], readyMs?: number) =>
    createLineProtocolAgent({
      name: "told",
      argv,
      modes: [{ id: "build" }, { id: "plan" }],
      steer: true,
      host,
      ...(readyMs === undefined ? {} : { readyMs }),
    });
  return {
    agent: agent(fixture("does-as-told")),
    unstartable: agent(["no-such-program-here"]),
    silent: agent(fixture("does-as-told", "silent"), SILENT_MS),
    forgetful: agent(fixture("does-as-told", "forgetful")),
    directory,
    processes,
  };
}

/** The adapter of docs/adapters.md. */
export async function plainRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const program = (begin: string) => fixture("does-as-told", begin, "plain-wire");
  return {
    agent: createPlainAgent(host, program("well")),
    unstartable: createPlainAgent(host, ["no-such-program-here"]),
    silent: createPlainAgent(host, program("silent"), SILENT_MS),
    forgetful: createPlainAgent(host, program("forgetful")),
    directory,
    processes,
  };
}

export async function claudeRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const agent = (env: Record<string, string>, readyMs?: number) =>
    createClaudeAgent({
      host,
      dataDirectory: directory,
      env: { PARLEY_CLAUDE_BIN: CLAUDE, HOME: directory, ...env },
      ...(readyMs === undefined ? {} : { readyMs }),
    });
  return {
    agent: agent({}),
    unstartable: agent({ PARLEY_CLAUDE_BIN: join(directory, "none") }),
    silent: agent({ FAKE_CLAUDE: "silent" }, SILENT_MS),
    forgetful: agent({ FAKE_CLAUDE: "forgetful" }),
    directory,
    processes,
  };
}

export async function codexRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const agent = (env: Record<string, string>, readyMs?: number) =>
    createCodexAgent({
      host,
      dataDirectory: directory,
      env: { PARLEY_CODEX_BIN: CODEX, HOME: directory, XDG_RUNTIME_DIR: "", ...env },
      ...(readyMs === undefined ? {} : { readyMs }),
    });
  return {
    agent: agent({}),
    unstartable: agent({ PARLEY_CODEX_BIN: join(directory, "none") }),
    silent: agent({ FAKE_CODEX: "silent" }, SILENT_MS),
    forgetful: agent({ FAKE_CODEX: "forgetful" }),
    directory,
    processes,
  };
}

export async function acpRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const agent = (standIn: object, readyMs?: number, program = ACP) =>
    createAcpAgent({
      name: "stand-in",
      argv: [process.execPath, program],
      host,
      env: { STAND_IN: JSON.stringify(standIn) },
      ...(readyMs === undefined ? {} : { readyMs }),
    });
  return {
    agent: agent({}),
    unstartable: createAcpAgent({ name: "stand-in", argv: ["no-such-program-here"], host }),
    silent: agent({ begins: "silent" }, SILENT_MS),
    forgetful: agent({ begins: "forgetful" }),
    directory,
    processes,
  };
}

/** The tool bash, without a question. */
const unasked: Tool = {
  ...bash,
  name: "unasked",
  writes: false,
  run: (input, context) => bash.run(input, { ...context, permit: async () => {} }),
};

/** The reply of a model that does as the last prompt says. */
function reply({ prompt }: CallOptions): Part[] {
  const words = JSON.stringify(prompt.findLast(({ role }) => role === "user")?.content);
  const [, upTo] = /"count (\d+)"/.exec(words) ?? [];
  const called = prompt.at(-1)?.role === "tool";
  if (upTo !== undefined) return Array.from({ length: Number(upTo) }, (_, at) => say(`${at + 1} `, `${at}`)).flat();
  if (/"ask"/.test(words) && !called) return call("bash", { command: "true" });
  if (/"work"/.test(words)) return [...say("working "), ...call("unasked", { command: "sleep 1000" })];
  return say("Done.");
}

export async function houseRig(t: TestContext): Promise<ContractRig> {
  const { host, directory, processes } = await makePlace(t);
  const { model } = playing(...Array.from({ length: 20 }, () => reply));
  const models: Models = { ...findModels({}), find: () => DEMO, load: async () => model };
  return { agent: createHouseAgent({ host, models, tools: [bash, unasked] }), directory, processes };
}
