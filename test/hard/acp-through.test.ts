import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { commandOf } from "../agents/acp/real-stage.ts";
import { type Real, surroundingsOf } from "../agents/acp/surroundings.ts";
import { Home } from "../cli/support.ts";
import { isWithin, valuesIn } from "../support/acp/differences.ts";
import type { Answerer } from "../support/acp/peer.ts";
import { assertSame, type Client, choosing, type Ended, openPair, type Pair } from "../support/acp/through.ts";
import type { Told } from "../support/acp/told.ts";
import { eventually } from "../support/eventually.ts";
import { strays } from "../support/process.ts";
import { GROUP_MS } from "../support/time.ts";

const GREETER = fileURLToPath(new URL("../fixtures/agents/mcp-greeter.mjs", import.meta.url));
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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

type Compared = keyof typeof TOOLS;

class Stage {
  readonly home = new Home();
  readonly file = join(this.home.work, "hello.txt");
  answer: Answerer = choosing("allow_once");
  pair!: Pair;
  model!: Awaited<ReturnType<typeof startScriptedModel>>;

  static async open(t: TestContext, name: Compared, argv: readonly [string, ...string[]]): Promise<Stage> {
    const stage = new Stage();
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
    const env = Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
    stage.pair = await openPair({ home, argv, env, answer: (message) => stage.answer(message) });
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
function assertAlike(native: Told, proxied: Told): void {
  for (const { order } of [native, proxied]) order.sort();
  const [one, other] = [new Set(native.order), new Set(proxied.order)];
  assertSame({ ...native, order: [...one] }, { ...proxied, order: [...other] });
}

function usageOf({ answer }: Ended): unknown {
  const { inputTokens, outputTokens, totalTokens } = (answer.result?.usage ?? {}) as Record<string, number>;
  return { inputTokens, outputTokens, totalTokens };
}

for (const name of ["opencode-acp", "claude-acp", "codex-acp"] as const) {
  const { argv, skip } = await commandOf(name);
  describe(`the real ${name}, as it is and behind parley acp`, { skip, timeout: GROUP_MS }, () => {
    test("what a client is told is the same, but for what docs/acp.md lists", async (t) => {
      const stage = await Stage.open(t, name, (argv ?? ["none"]) as [string, ...string[]]);
      const { native, proxied } = stage.pair;
      assert.deepEqual(valuesIn(proxied.opened.configOptions), valuesIn(native.opened.configOptions));

      const edited = await stage.both((client) => client.prompt("[[edit]]"));
      assert.equal(edited.native.told.permissions.length, 1);
      assert.match(edited.native.told.thoughts, /I look first\./);
      assert.equal(edited.proxied.answer.result?.stopReason, edited.native.answer.result?.stopReason);
      assert.deepEqual(usageOf(edited.proxied), usageOf(edited.native));
      assertAlike(edited.native.told, edited.proxied.told);

      const lacking = () => native.commands.filter((command) => !proxied.commands.includes(command));
      await proxied.peer.until("all commands", () => lacking().length === 0);

      stage.answer = choosing("reject_once");
      const refused = await stage.both((client) => client.prompt("[[edit]] again"));
      // Codex calls the turn cancelled.
      assert.equal(refused.proxied.answer.result?.stopReason, "end_turn");
      assertAlike(refused.native.told, refused.proxied.told);

      stage.answer = choosing("allow_once");
      const ran = await stage.both((client) => client.prompt("[[run]]"));
      assert.equal(ran.native.told.calls.length, 1);
      assertAlike(ran.native.told, ran.proxied.told);

      const during = (client: Client) => ({
        when: ({ words }: Ended["told"]) => words.includes("I begin."),
        act: () => client.cancel(),
      });
      const stopped = await stage.both((client) => client.prompt("[[hang]]", during(client)));
      assert.equal(stopped.native.answer.result?.stopReason, "cancelled");
      assert.equal(stopped.proxied.answer.result?.stopReason, "cancelled");

      const looked = await stage.both(async (client) => {
        const from = stage.model.requests.length;
        await client.prompt([
          { type: "text", text: "look" },
          { type: "image", mimeType: "image/png", data: PICTURE },
        ]);
        return stage.model.requests.slice(from).some(({ body }) => JSON.stringify(body).includes(PICTURE));
      });
      // OpenCode leaves out pictures for a model that takes none.
      assert.deepEqual(looked, { native: name !== "opencode-acp", proxied: name !== "opencode-acp" });

      const past = await stage.both((client) => client.load(stage.home.work));
      const { native: one, proxied: other } = past;
      // Codex forgets the words of a reply that was stopped, and calls that were refused.
      const lasting = ({ words }: Told): string => words.replace("I begin. ", "");
      assert.equal(lasting(other), lasting(one));
      const calls = (told: Told): string[] =>
        told.calls.map(({ title, kind, status }) => JSON.stringify({ title, kind, status }));
      assert.ok(isWithin(calls(one), calls(other)), `${calls(one)} became ${calls(other)}`);

      const { native: copy, proxied: through } = await stage.both(async (client) => {
        const params = { sessionId: client.session, cwd: stage.home.work, mcpServers: [] };
        client.session = String((await client.peer.request("session/fork", params)).sessionId);
        return client.prompt("[[edit]] in the copy");
      });
      assert.equal(through.answer.result?.stopReason, copy.answer.result?.stopReason);
      // The cost of a copy counts from where it was copied, or from its beginning, and its title may come late.
      for (const { told } of [copy, through]) {
        if (told.usage) told.usage = { used: told.usage.used };
        told.titles = [];
      }
      assertAlike(copy.told, through.told);

      const notes = join(stage.home.root, "notes");
      const env = [{ name: "GREETER_TOKEN", value: "sesame" }];
      const server = { name: "greeter", command: process.execPath, args: [GREETER, notes], env };
      const greeted = await stage.both(async (client) => {
        await client.open(stage.home.work, { mcpServers: [server] });
        return client.prompt("[[greet]]");
      });
      // Codex has a way of its own to call a server's tool.
      assert.equal(greeted.native.told.calls.length, name === "codex-acp" ? 0 : 1);
      assertAlike(greeted.native.told, greeted.proxied.told);
      assert.match(readFileSync(notes, "utf8"), /^(?:started with sesame\n){2,}$/);
    });
  });
}
