import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { DIFFERENCES, valuesIn } from "../../support/acp/differences.ts";
import type { Answerer } from "../../support/acp/peer.ts";
import { assertSame, type Client, choosing, type Ended, openPair, type Pair } from "../../support/acp/through.ts";
import { toldBy } from "../../support/acp/told.ts";
import { GROUP_MS } from "../../support/time.ts";
import { Home } from "../support.ts";
import { allUpdates, CHOICES, OPTIONS, PNG, update } from "./through-script.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/acp.md", import.meta.url));

const played = (steps: readonly object[], end: object = { stopReason: "end_turn" }): string =>
  JSON.stringify({ steps, end });

/** The options with another model. */
const SMALL = CHOICES.configOptions.map((one) => (one.id === "model" ? { ...one, currentValue: "small" } : one));

/** A request of the agent whose answer it repeats as its words. */
const asking = (method: string, params: object): object => ({ request: { method, params }, tellAnswer: true });
const CALL = {
  toolCallId: "p1",
  title: "touch x",
  kind: "execute",
  status: "pending",
  rawInput: { command: "touch x" },
};
const PERMISSION = asking("session/request_permission", { toolCall: CALL, options: OPTIONS });

describe("an ACP client, parley acp, and an ACP agent behind it", { timeout: GROUP_MS, concurrency: 1 }, () => {
  const home = new Home();
  let pair: Pair;
  let answer: Answerer = choosing("allow_once");

  before(async () => {
    const told = {
      "session/new": { sessionId: "sess-stand-in", ...CHOICES },
      "session/set_config_option": { configOptions: SMALL },
    };
    const env = { STAND_IN: JSON.stringify(told) };
    pair = await openPair({ home, argv: [process.execPath, STAND_IN], env, answer: (message) => answer(message) });
  });
  after(async () => {
    await pair?.[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  /** The same with both, one after the other: they work in one directory. */
  async function both(drive: (client: Client) => Promise<Ended>): Promise<{ native: Ended; proxied: Ended }> {
    return { native: await drive(pair.native), proxied: await drive(pair.proxied) };
  }

  test("modes, models and options of a session are the same", () => {
    const { native, proxied } = pair;
    assert.deepEqual(valuesIn(proxied.opened.configOptions), valuesIn(native.opened.configOptions));
    assert.deepEqual(proxied.opened.modes, native.opened.modes);
  });

  test("all kinds of updates of a turn come through, but for what the page lists", async () => {
    const end = { stopReason: "max_tokens", usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
    const { native, proxied } = await both((client) => {
      writeFileSync(join(home.work, "a.txt"), "one\ntwo\n");
      answer = (message) => {
        writeFileSync(join(home.work, "a.txt"), "uno\ntwo\n");
        return choosing("allow_once")(message);
      };
      return client.prompt(played(allUpdates(home.work), end));
    });
    assert.equal(native.told.calls.length, 5);
    const raw = proxied.told.calls[2]?.rawOutput as { output?: string } | undefined;
    assert.ok(raw?.output?.startsWith("a.txt\nls: broken\n"), "the end of an output that was told while it grew");
    assertSame(native.told, proxied.told);
    assert.equal(proxied.answer.result?.stopReason, "max_tokens");
    const usage = proxied.answer.result?.usage as object;
    assert.deepEqual({ ...usage, ...end.usage }, usage);
  });

  test("the page lists each difference", () => {
    const page = readFileSync(PAGE, "utf8");
    for (const { name } of DIFFERENCES) assert.ok(page.includes(`| ${name} |`), `docs/acp.md has no row "${name}"`);
  });

  for (const [kind, optionId] of [
    ["allow_once", "y"],
    ["reject_once", "n"],
    ["allow_always", "y"],
  ] as const)
    test(`an answer ${kind} of the client reaches the agent as its own option ${optionId}`, async () => {
      answer = choosing(kind);
      const { proxied } = await both((client) => client.prompt(played([PERMISSION])));
      assert.deepEqual(JSON.parse(proxied.told.words), { outcome: { outcome: "selected", optionId } });
    });

  test('after an "always" the agent asks again, and Parley answers', async () => {
    answer = choosing("reject_once");
    const { proxied } = await both((client) => client.prompt(played([PERMISSION])));
    assert.deepEqual(JSON.parse(proxied.told.words), { outcome: { outcome: "selected", optionId: "y" } });
    assert.deepEqual(proxied.told.permissions, []);
  });

  test("a form is asked, and the agent gets the fields that it named", async () => {
    const properties = {
      color: {
        type: "string",
        title: "Color",
        oneOf: [
          { const: "r", title: "Red" },
          { const: "g", title: "Green" },
        ],
      },
    };
    const form = {
      mode: "form",
      message: "Which?",
      requestedSchema: { type: "object", properties, required: ["color"] },
    };
    answer = ({ method, params = {} }) => {
      if (method !== "elicitation/create") return undefined;
      const schema = params.requestedSchema as {
        properties: Record<string, { oneOf: { const: string; title: string }[] }>;
      };
      const [[name, field] = ["", { oneOf: [] }]] = Object.entries(schema.properties);
      return { action: "accept", content: { [name]: field.oneOf.find(({ title }) => title === "Green")?.const } };
    };
    const { native, proxied } = await both((client) => client.prompt(played([asking("elicitation/create", form)])));
    assert.equal(native.told.words, proxied.told.words);
    assert.deepEqual(JSON.parse(proxied.told.words), { action: "accept", content: { color: "g" } });
  });

  test("a cancel stops the agent's turn, and takes the permission that is open", async () => {
    answer = () => undefined;
    const call = { toolCallId: "p2", title: "sleep 9", kind: "execute", rawInput: { command: "sleep 9" } };
    const open = {
      request: { method: "session/request_permission", params: { toolCall: call, options: OPTIONS }, wait: false },
    };
    const steps = [update("tool_call", { ...call, status: "pending" }), open, { until: "session/cancel" }];
    const { native, proxied } = await both((client) =>
      client.prompt(played(steps, { stopReason: "cancelled" }), {
        when: ({ permissions }) => permissions.length > 0,
        act: () => client.cancel(),
      }),
    );
    assert.equal(native.answer.result?.stopReason, "cancelled");
    assert.equal(proxied.answer.result?.stopReason, "cancelled");
    assert.equal(proxied.told.calls[0]?.status, "failed", "each call settles");
  });

  for (const stopReason of ["end_turn", "max_tokens", "max_turn_requests", "refusal"])
    test(`the stop reason ${stopReason}`, async () => {
      const { proxied } = await both((client) => client.prompt(played([], { stopReason })));
      assert.equal(proxied.answer.result?.stopReason, stopReason);
    });

  for (const [code, message, told] of [
    [-32603, "the model is gone", /^the model is gone$/],
    // A wish for a login is told with what to do about it.
    [-32000, "log in first", /^it wants a login first \(log in first\): /],
  ] as const)
    test(`an error ${code} of a prompt`, async () => {
      const { native, proxied } = await both((client) => client.prompt(played([], { error: { code, message } })));
      assert.deepEqual(native.answer.error, { code, message });
      assert.equal(proxied.answer.error?.code, code);
      assert.match(proxied.answer.error?.message ?? "", told);
    });

  test("blocks of a prompt", async () => {
    writeFileSync(join(home.work, "a.txt"), "one\n");
    const near = { type: "resource_link", uri: pathToFileURL(join(home.work, "a.txt")).href, name: "a.txt" };
    const same = [{ type: "text", text: "hello" }, { type: "image", mimeType: "image/png", data: PNG }, near];
    const changed = [
      { type: "resource_link", uri: "https://example.com/x", name: "a page" },
      { type: "resource", resource: { uri: "file:///other/b.txt", text: "text of b" } },
    ];
    const { native, proxied } = await both((client) => client.prompt([...same, ...changed]));
    assert.deepEqual(JSON.parse(native.told.words), [...same, ...changed]);
    assert.deepEqual(JSON.parse(proxied.told.words), [
      ...same,
      { type: "text", text: "a page (https://example.com/x)" },
      { type: "text", text: "\n[/other/b.txt]\ntext of b" },
    ]);
  });

  test("a choice reaches the agent, and all options are told anew", async () => {
    const { native, proxied } = pair;
    const choose = ({ peer, session }: Client) =>
      peer.request("session/set_config_option", { sessionId: session, configId: "model", value: "small" });
    const one = valuesIn((await choose(native)).configOptions);
    const from = proxied.peer.messages.length;
    const other = valuesIn((await choose(proxied)).configOptions);
    assert.equal((other.model as { current: string }).current, "small");
    // The agent went back to another mode with it.
    assert.deepEqual(other, one);
    const news = (): unknown => toldBy(proxied.peer.messages.slice(from)).config;
    await proxied.peer.until("all options as they are now", () => isDeepStrictEqual(valuesIn(news()), one));
  });

  test("the conversation is told again as it was", async () => {
    const { proxied } = pair;
    const { peer, session: sessionId } = proxied;
    const live = { words: "", calls: 0 };
    for (const { method, params } of peer.messages) {
      const one = params?.update as { sessionUpdate?: string; content?: { text?: string } } | undefined;
      if (method !== "session/update" || params?.sessionId !== sessionId) continue;
      if (one?.sessionUpdate === "agent_message_chunk") live.words += one.content?.text ?? "";
      if (one?.sessionUpdate === "tool_call") live.calls += 1;
    }
    const loaded = await proxied.load(home.work);
    assert.equal(loaded.words, live.words);
    assert.equal(loaded.calls.length, live.calls);
    assert.ok(loaded.calls.every(({ statuses }) => statuses.length === 1));
    assert.match(loaded.asked, /hello/);
    const { sessions } = await peer.request("session/list", { cwd: home.work });
    assert.deepEqual(
      (sessions as { sessionId: string }[]).map((one) => one.sessionId),
      [sessionId],
    );
  });
});
