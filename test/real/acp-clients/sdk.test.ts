import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { client as clientOfV2 } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { methods, type Stream } from "@agentclientprotocol/sdk/unstable";
import { surroundings } from "../../agents/claude/stage.ts";
import { allowingClient, remoteStream, stdioStream, WAYS } from "../../support/acp/remote.ts";
import { eventually } from "../../support/eventually.ts";
import { realAgent } from "../../support/real-agent.ts";
import { firstOf, GROUP_MS } from "../../support/time.ts";
import { EDIT, Stage } from "./stage.ts";

const TRANSPORTS = ["stdio", ...WAYS] as const;
type Transport = (typeof TRANSPORTS)[number];

const CHANGED = "# Demo\n\nhello\nadded\n";
const SCRIPT = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    edit: [{ text: "I change it.", tools: [EDIT] }, { text: "It is changed." }],
  },
};

/** A process of `parley acp`, or of a server, as the SDK's client reaches it. Both end with the stage. */
async function connectTo(stage: Stage, transport: Transport, args: string[] = []): Promise<Stream> {
  const { home, env } = stage;
  if (transport !== "stdio") {
    const { line } = await home.serve(["--insecure-no-auth"], { env });
    return remoteStream(transport, line, {});
  }
  const { stream, leave } = stdioStream(home, env, args);
  stage.onClose = leave;
  return stream;
}

async function editByV1(stage: Stage, stream: Stream): Promise<void> {
  const seen = allowingClient();
  const { agent } = seen.app.connect(stream);
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: stage.home.work, mcpServers: [] });
  const { stopReason } = await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text: "[[edit]]" }],
  });
  assert.equal(stopReason, "end_turn");
  assert.match(seen.text(), /It is changed\.$/, "all of it came before the answer");
  const { sessions } = await agent.request(methods.agent.session.list, {});
  assert.deepEqual(
    sessions.map((session) => session.sessionId),
    [sessionId],
  );
}

interface StateUpdate {
  sessionUpdate: string;
  state?: string;
  stopReason?: string;
}

async function editByV2(stage: Stage, stream: Stream): Promise<void> {
  const updates: StateUpdate[] = [];
  const { agent } = clientOfV2({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update as StateUpdate);
    })
    .onRequest("session/request_permission", ({ params }) => {
      const option = params.options.find(({ kind }) => kind === "allow_once");
      return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } };
    })
    .connect(stream as never);
  const info = { name: "test", version: "1" };
  const { protocolVersion } = await agent.request("initialize", { protocolVersion: 2, info, capabilities: {} });
  assert.equal(protocolVersion, 2);
  const { sessionId } = await agent.request("session/new", { cwd: stage.home.work });
  await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "[[edit]]" }] });
  const idle = () => updates.filter(({ sessionUpdate, state }) => sessionUpdate === "state_update" && state === "idle");
  await eventually("the turn is over", () => idle().some(({ stopReason }) => stopReason !== undefined));
  assert.deepEqual(
    idle().flatMap(({ stopReason }) => stopReason ?? []),
    ["end_turn"],
  );
}

describe("clients of the SDK in front of Parley", { timeout: GROUP_MS }, () => {
  for (const transport of TRANSPORTS) {
    for (const [version, edit] of [
      [1, editByV1],
      [2, editByV2],
    ] as const) {
      test(`version ${version} by ${transport}: a prompt with an edit that is allowed`, async (t: TestContext) => {
        const stage = await Stage.open(t, { script: SCRIPT });
        await edit(stage, await connectTo(stage, transport));
        assert.equal(stage.readme, CHANGED);
      });
    }
  }
});

const claude = await realAgent("claude");

describe("the real Claude Code behind parley acp", { skip: claude.skip, timeout: GROUP_MS }, () => {
  for (const [version, edit] of firstOf([[2, editByV2] as const, [1, editByV1] as const], 1)) {
    test(`version ${version}: a prompt with an edit that is allowed`, async (t: TestContext) => {
      const readme = "{{directory}}/README.md";
      const tools = [
        { name: "Read", input: { file_path: readme } },
        { name: "Edit", input: { file_path: readme, old_string: "hello\n", new_string: "hello\nadded\n" } },
      ].map((tool) => ({ tools: [tool] }));
      const stage = await Stage.open(t, {
        script: { prompts: { "*": [{ text: "I see." }], edit: [...tools, { text: "It is changed." }] } },
        surroundings: (home, url) => surroundings(claude.program ?? "", home, url),
      });
      await edit(stage, await connectTo(stage, "stdio", ["--agent", "claude"]));
      assert.equal(stage.readme, CHANGED);
    });
  }
});
