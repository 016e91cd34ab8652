import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Node, openNodes } from "../cluster/opencode/rig.ts";
import { runAttached, startTui } from "../support/opencode/clients.ts";
import { EventTape } from "../support/opencode/event-tape.ts";
import { houseConfig, MODEL } from "../support/opencode/native.ts";
import { FILES, SCRIPT } from "../support/opencode/script.ts";
import { type SdkV2, sdkV2 } from "../support/opencode/sdk.ts";
import { Stage } from "../support/opencode/stage.ts";
import { needsPostgres } from "../support/postgres.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const TOKEN = "a-token-for-all-nodes";
const WORKING = /esc (again to )?interrupt/;

describe("OpenCode's own clients, on a node that does not own the session", {
  skip: skip || needsPostgres.skip,
  timeout: GROUP_MS,
}, () => {
  let stage: Stage;
  let owner: Node;
  let other: Node;
  let directory: string;
  let id: string;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    directory = stage.surroundings.project("project", FILES);
    const options = {
      token: TOKEN,
      directory,
      defaultAgent: "house",
      house: houseConfig(stage.model.url),
      place: "studio",
    };
    const [first, second] = await openNodes(stage, [options, options]);
    assert.ok(first && second);
    [owner, other] = [first, second];
    const { data } = await sdk(owner.url).session.create({});
    id = data?.id ?? "";
    await say(sdk(owner.url), "from the owner");
    assert.deepEqual(held(), [true, false]);
  });
  after(() => stage[Symbol.asyncDispose]());

  const held = (): boolean[] => [owner, other].map(({ server }) => server.parley.gateway.tenure.holds(id));
  const sdk = (url: string): SdkV2 => sdkV2({ url, directory, token: TOKEN });

  async function say(client: SdkV2, text: string): Promise<string> {
    const { data } = await client.session.prompt({ sessionID: id, parts: [{ type: "text", text }] });
    return (data?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  }

  for (const [name, base] of [
    ["its address", ""],
    ["its address with the place", "/at/studio"],
  ] as const)
    test(`the SDK at ${name}: a prompt, its events and its messages`, async () => {
      const client = sdk(`${other.url}${base}`);
      const stop = new AbortController();
      const { stream } = await client.event.subscribe({}, { signal: stop.signal });
      const tape = new EventTape(stream, stop);
      await tape.until("server.connected", ({ type }) => type === "server.connected");
      assert.equal(await say(client, `by SDK${base}`), `You said: by SDK${base}`);
      await tape.until("session.idle", ({ type }) => type === "session.idle");
      stop.abort();
      const { data: messages = [] } = await client.session.messages({ sessionID: id });
      const { data: same = [] } = await sdk(owner.url).session.messages({ sessionID: id });
      assert.deepEqual(messages, same);
      assert.deepEqual(held(), [true, false]);
    });

  test("opencode run --attach prints the answer of a session that another node owns", async () => {
    const { surroundings } = stage;
    const args = ["-s", id, "greetings"];
    const ran = await runAttached({ program, surroundings, url: other.url, password: TOKEN, directory, args });
    assert.deepEqual([ran.code, ran.stdout], [0, "You said: greetings\n"], ran.stderr);
    assert.deepEqual(held(), [true, false]);
  });

  test("the terminal interface at /at/PLACE of one node works in a session of another", async () => {
    const { surroundings } = stage;
    const url = `${other.url}/at/studio`;
    const args = ["-s", id];
    const tui = startTui({ program, surroundings, url, password: TOKEN, directory, args, cols: 100, rows: 40 });
    stage.after(() => tui.close());
    await tui.waitFor(MODEL.name, PATIENCE_MS);
    await tui.waitFor("You said: greetings");
    tui.type("[[command]] asked");
    await tui.waitFor("[[command]] asked");
    tui.press("enter");
    await tui.waitFor("Permission required");
    assert.deepEqual(held(), [true, false]);
    tui.press("enter");
    await tui.waitUntilGone("Permission required");
    await tui.waitUntilGone(WORKING);
    // A word of the owner's own clients is shown at once, too.
    await say(sdk(owner.url), "from the owner again");
    await tui.waitFor("You said: from the owner again");
    await tui.close();
  });
});
