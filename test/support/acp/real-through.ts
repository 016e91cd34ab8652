import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stream } from "@agentclientprotocol/sdk/unstable";
import { readTokenFile } from "../../../src/cli/serve/server-token.ts";
import { readLock } from "../../../src/host/data-lock.ts";
import { tokenPath } from "../../../src/server/guards/token.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";
import { type Real, surroundingsOf } from "../../agents/acp/surroundings.ts";
import { Home } from "../../cli/support.ts";
import { eventually } from "../eventually.ts";
import { strays } from "../process.ts";
import type { Cleanup } from "../server.ts";
import type { Answerer } from "./peer.ts";
import { remoteStream } from "./remote.ts";
import { assertSame, type Client, choosing, type Ended, openPair, type Pair } from "./through.ts";
import type { Told } from "./told.ts";

/** The tools by which an agent reads, changes and runs something, and the greeter's tool as the agent names it. */
const TOOLS = {
  "claude-acp": (file: string) => ({
    read: { name: "Read", input: { file_path: file } },
    edit: { name: "Edit", input: { file_path: file, old_string: "hello world", new_string: "hello universe" } },
    run: { name: "Bash", input: { command: "cat missing.txt", description: "Look" } },
    greet: { name: "mcp__greeter__greet", input: { name: "Ada" } },
  }),
  "opencode-acp": (file: string) => ({
    read: { name: "read", input: { filePath: file } },
    edit: { name: "edit", input: { filePath: file, oldString: "hello world", newString: "hello universe" } },
    run: { name: "bash", input: { command: "cat missing.txt", description: "Look" } },
    greet: { name: "greeter_greet", input: { name: "Ada" } },
  }),
  "codex-acp": () => ({
    read: { name: "exec_command", input: { cmd: "cat hello.txt" } },
    edit: {
      name: "exec_command",
      input: {
        cmd: "sed -i s/world/universe/ hello.txt",
        sandbox_permissions: "require_escalated",
        justification: "edit",
      },
    },
    run: { name: "exec_command", input: { cmd: "cat missing.txt" } },
    greet: { name: "mcp__greeter__greet", input: { name: "Ada" } },
  }),
} as const satisfies Partial<Record<Real, unknown>>;

export type Compared = keyof typeof TOOLS;

/** A real agent twice, as it is and behind `parley acp`, on a scripted model. */
export class RealThrough {
  readonly home = new Home();
  readonly file = join(this.home.work, "hello.txt");
  answer: Answerer = choosing("allow_once");
  env: Record<string, string> = {};
  pair!: Pair;
  model!: Awaited<ReturnType<typeof startScriptedModel>>;

  static async open(t: Cleanup, name: Compared, argv: readonly [string, ...string[]]): Promise<RealThrough> {
    const stage = new RealThrough();
    const { home, file } = stage;
    const { read, edit, run, greet } = TOOLS[name](file);
    const prompts = {
      "*": [{ text: "I see." }],
      edit: [
        { reasoning: "I look first.", text: "Reading.", tools: [read] },
        { text: "Editing.", tools: [edit] },
        { text: "Done." },
      ],
      run: [{ text: "Running.", tools: [run] }, { text: "It failed." }],
      greet: [{ text: "Greeting.", tools: [greet] }, { text: "Greeted." }],
      hang: [{ text: ["I begin. ", { text: "I end.", hold: "gate" }] }],
    };
    stage.model = await startScriptedModel({ script: { prompts } });
    t.after(() => stage.#close());
    const places = surroundingsOf(name, join(home.root, "agent"), stage.model.url);
    mkdirSync(join(home.root, "agent"), { recursive: true });
    stage.reset();
    const given = Object.entries({ PARLEY_DATA_DIR: home.dataDir, ...places });
    stage.env = Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
    stage.pair = await openPair({ home, argv, env: stage.env, answer: (message) => stage.answer(message) });
    return stage;
  }

  reset(): void {
    writeFileSync(this.file, "hello world\nline two\n");
  }

  /** The same with both, one after the other. */
  async both<T>(drive: (client: Client) => Promise<T>): Promise<{ native: T; proxied: T }> {
    this.reset();
    const native = await drive(this.pair.native);
    this.reset();
    return { native, proxied: await drive(this.pair.proxied) };
  }

  /** Reads and edits a file, with a permission: what a client is told and what came of it are the same. */
  async assertSameEdit(): Promise<void> {
    const { native, proxied } = await this.both((client) => client.prompt("[[edit]]"));
    assert.equal(native.told.permissions.length, 1);
    assert.match(native.told.thoughts, /I look first\./);
    assert.equal(proxied.answer.result?.stopReason, native.answer.result?.stopReason);
    assert.deepEqual(usageOf(proxied), usageOf(native));
    assertAlike(native.told, proxied.told);
  }

  /** Leads another client to the server in `parley acp`. */
  serverStream(): Stream {
    const { dataDir } = this.home;
    const authorization = `Bearer ${readTokenFile(tokenPath(dataDir))}`;
    return remoteStream("WebSocket", readLock(dataDir)?.url ?? "", { authorization });
  }

  /** Kills the agent behind Parley, with all that it started. */
  killAgents(): void {
    for (const { pid } of strays(this.home.dataDir)) process.kill(pid, "SIGKILL");
  }

  async #close(): Promise<void> {
    try {
      await this.pair?.[Symbol.asyncDispose]();
      await eventually("no agent is left", () => strays(this.home.dataDir).length === 0);
    } finally {
      await this.home[Symbol.asyncDispose]();
      await this.model.close();
    }
  }
}

/** The same, but for the order of words and calls: an agent may ask for a call before it has told the words before it. */
export function assertAlike(native: Told, proxied: Told): void {
  for (const { order } of [native, proxied]) order.sort();
  const [one, other] = [new Set(native.order), new Set(proxied.order)];
  assertSame({ ...native, order: [...one] }, { ...proxied, order: [...other] });
}

function usageOf({ answer }: Ended): unknown {
  const { inputTokens, outputTokens, totalTokens } = (answer.result?.usage ?? {}) as Record<string, number>;
  return { inputTokens, outputTokens, totalTokens };
}
