import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { methods, type NewSessionResponse } from "@agentclientprotocol/sdk/unstable";
import { remoteStream } from "../../support/acp/remote.ts";
import { SdkClient } from "../../support/acp/sdk-client.ts";
import { eventually } from "../../support/eventually.ts";
import { EventTape, type TapedEvent } from "../../support/opencode/event-tape.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { type SdkV2, sdkV2 } from "../../support/opencode/sdk.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { NATIVE, startTarget } from "../../support/opencode/target.ts";
import { GROUP_MS } from "../../support/time.ts";

const skip = NATIVE ? "OpenCode's own server has no ACP clients beside it" : false;
const SAID = ["I run it.", "It wrote: it-ran\n"];

describe("OpenCode's SDK and an ACP client, on one session of Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let opencode: SdkV2;
  let tape: EventTape;
  let acp: SdkClient;
  let session: string;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const directory = stage.surroundings.project("project", FILES);
    const { url, token } = await startTarget(stage, "", directory);
    opencode = sdkV2({ url, directory, token });
    const stop = new AbortController();
    const { stream } = await opencode.event.subscribe({}, { signal: stop.signal });
    tape = stage.use(new EventTape(stream, stop));
    await tape.until("server.connected", ({ type }) => type === "server.connected");
    acp = await SdkClient.open(remoteStream("WebSocket", url, { authorization: `Bearer ${token}` }));
    stage.after(() => acp.close());
    const request = { cwd: directory, mcpServers: [] };
    session = (await acp.agent.request<NewSessionResponse>(methods.agent.session.new, request)).sessionId;
  });
  after(() => stage[Symbol.asyncDispose]());

  const answers = () => acp.messages.filter((message) => "result" in message && "stopReason" in Object(message.result));
  /** The times of turns' ends that the ACP client was told. */
  const ends = () => acp.updates("session_info_update").filter(({ title }) => title === undefined);
  const idles = (from: number) => tape.types(session, from).filter((type) => type === "session.idle");
  const asked = (from: number): Promise<TapedEvent> =>
    tape.until("permission.asked", ({ type }) => type === "permission.asked", from);

  async function conversation(): Promise<{ role: string; text: string }[]> {
    const { data = [] } = await opencode.session.messages({ sessionID: session });
    return data.flatMap(({ info: { role }, parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [{ role, text: part.text }] : [])),
    );
  }

  test("a prompt of the ACP client: OpenCode's answers the ask, which is taken from the ACP client", async () => {
    const from = tape.events.length;
    const prompt = acp.prompt(session, "[[command]] by ACP");
    const { properties } = await asked(from);
    await eventually("the ACP client is asked", () => acp.asked.length === 1);
    assert.match(JSON.stringify(acp.asked[0]?.request.toolCall), /echo it-ran/);
    assert.match(JSON.stringify(properties), /echo it-ran/);
    await opencode.permission.reply({ requestID: String(properties.id), reply: "once" });
    assert.equal(await prompt, "end_turn");
    await eventually("the ask is taken back", () => acp.asked[0]?.withdrawn.aborted === true);
    assert.equal(acp.text(), SAID.join(""));
    assert.equal(acp.text("user_message_chunk"), "", "its own prompts are not told back");
    await tape.idle(session, from);
    assert.deepEqual(tape.texts(session), SAID);
    assert.deepEqual(await conversation(), [
      { role: "user", text: "[[command]] by ACP" },
      ...SAID.map((text) => ({ role: "assistant", text })),
    ]);
    assert.deepEqual([idles(from).length, ends().length, answers().length], [1, 1, 1]);
  });

  test("a prompt of OpenCode's: the ACP client answers the ask, which is taken from OpenCode's", async () => {
    const from = tape.events.length;
    await opencode.session.promptAsync({
      sessionID: session,
      parts: [{ type: "text", text: "[[command]] by OpenCode's" }],
    });
    const { properties } = await asked(from);
    await eventually("the ACP client is asked", () => acp.asked.length === 2);
    assert.equal(acp.text("user_message_chunk"), "[[command]] by OpenCode's");
    acp.asked[1]?.answer("allow_once");
    const replied = await tape.until("permission.replied", ({ type }) => type === "permission.replied", from);
    assert.deepEqual([replied.properties.requestID, replied.properties.reply], [properties.id, "once"]);
    assert.deepEqual((await opencode.permission.list({})).data, []);
    await tape.idle(session, from);
    assert.deepEqual(tape.texts(session), [...SAID, ...SAID]);
    await eventually("the ACP client knows of the turn's end", () => ends().length === 2);
    assert.equal(acp.text(), [...SAID, ...SAID].join(""));
    assert.equal(acp.asked[1]?.withdrawn.aborted, false);
    assert.deepEqual([idles(from).length, ends().length, answers().length], [1, 2, 1]);
  });
});
