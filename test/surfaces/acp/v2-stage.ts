import assert from "node:assert/strict";
import {
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type NewSessionRequest,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { createClient } from "../../../src/client/index.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { createAcpAgent } from "../../../src/surfaces/acp/agent.ts";
import { quick } from "../../client/support.ts";
import { eventually } from "../../support/eventually.ts";
import type { Cleanup, TestServer } from "../../support/server.ts";
import { assertV2 } from "./schemas.ts";
import { line, type Stage } from "./stage.ts";

export interface StateUpdate {
  state: string;
  stopReason?: string;
  usage?: object;
  error?: { code: number; message: string };
  _meta?: { parley?: { retrying?: { attempt: number; message: string; next: string } } };
}

export const say = (text: string) => [{ type: "text" as const, text }];

export const failsWith = (code: number) => (error: unknown) => error instanceof RequestError && error.code === code;

/** The words of the agent in some updates. */
export const texts = (updates: readonly SessionUpdate[]) =>
  updates
    .map((one) =>
      one.sessionUpdate === "agent_message_chunk" ? (one as { content: { text: string } }).content.text : "",
    )
    .join("");

/** The prompts in some updates, by their ids. */
export const prompted = (updates: readonly SessionUpdate[]) =>
  updates.flatMap((one) => (one.sessionUpdate === "user_message" ? [(one as { messageId: string }).messageId] : []));

/** Each request of the client has one response at most. */
function assertOneAnswerEach(messages: Stage["messages"]): void {
  const answered = messages.flatMap(({ from, message }) =>
    from === "agent" && message.id !== undefined && !("method" in message) ? [message.id] : [],
  );
  assert.deepEqual(answered, [...new Set(answered)], "a request was answered twice");
}

export interface V2Options {
  capabilities?: ClientCapabilities;
  /** The way to the server. */
  send?: typeof fetch;
  /** What it is asked is allowed then. */
  allowed?: Promise<void>;
  /** The answer to each form. */
  filled?: object;
}

/** A client of version 2 at Parley's agent, in front of a real server. It allows what it is asked unless told to wait. */
export async function connectV2(
  t: Cleanup,
  server: TestServer,
  { capabilities = {}, send = fetch, allowed = Promise.resolve(), filled = {} }: V2Options = {},
) {
  const messages: Stage["messages"] = [];
  const updates: SessionUpdate[] = [];
  /** The ids of their sessions. */
  const sessions: string[] = [];
  const forms: CreateElicitationRequest[] = [];
  const asked: RequestPermissionRequest[] = [];
  const wire = line(messages);
  const connector = createAcpAgent({
    client: async () => createClient({ url: server.api.url, backoff: quick, fetch: (url, init) => send(url, init) }),
    version: "1.2.3",
    logger: silentLogger,
  });
  const routed = connector.connect(wire.agent as never) as { closed: Promise<void> };
  const { agent } = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
      sessions.push(params.sessionId);
    })
    .onRequest("elicitation/create", async ({ params }) => {
      forms.push(params);
      return filled as CreateElicitationResponse;
    })
    .onRequest("session/request_permission", async ({ params }): Promise<RequestPermissionResponse> => {
      asked.push(params);
      await allowed;
      return { outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } };
    })
    .connect(wire.client as never);
  const close = async (): Promise<void> => {
    await wire.end();
    await routed.closed;
  };
  t.after(async () => {
    await close();
    assertV2(messages);
    assertOneAnswerEach(messages);
  });
  const info = { name: "test", version: "1" };
  const hello = await agent.request("initialize", { protocolVersion: 2, info, capabilities });
  const states = () => updates.flatMap((one) => (one.sessionUpdate === "state_update" ? [one as StateUpdate] : []));
  const idles = () => states().filter(({ state }) => state === "idle");
  /** The updates of one session. */
  const updatesIn = (id: string) => updates.filter((_, at) => sessions[at] === id);
  return { agent, messages, updates, updatesIn, asked, forms, hello, states, idles, close };
}

/** Such a client with a session of its own; `asked` is added to its request. */
export async function openV2(
  t: Cleanup,
  server: TestServer,
  { asked = {}, ...options }: V2Options & { asked?: Partial<NewSessionRequest> } = {},
) {
  const connection = await connectV2(t, server, options);
  const { sessionId: id, ...told } = await connection.agent.request("session/new", {
    cwd: server.directory,
    ...asked,
  });
  const prompt = (text: string, cancellationSignal?: AbortSignal) =>
    connection.agent.request(
      "session/prompt",
      { sessionId: id, prompt: say(text) },
      cancellationSignal && { cancellationSignal },
    );
  const run = async (text: string) => {
    const count = connection.idles().length;
    const { messageId } = await prompt(text);
    await eventually("the turn is over", () => connection.idles().length > count);
    return { messageId, idle: connection.idles().at(-1) };
  };
  return { ...connection, id, told, prompt, run };
}
