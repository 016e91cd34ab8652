import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk/unstable";
import { createClient } from "../../../src/client/index.ts";
import { isFields } from "../../../src/core/json/fields.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { createAcpAgent } from "../../../src/surfaces/acp/agent.ts";
import type { AcpOptions } from "../../../src/surfaces/acp/surface.ts";
import { type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { assertV1, assertV2, type Message } from "./schemas.ts";

export type Update = SessionNotification["update"];

export interface Stage {
  server: TestServer;
  agent: ClientContext;
  /** All messages, in the order in which they were sent. */
  messages: { from: "client" | "agent"; message: Message }[];
  updates: (SessionNotification & { at: number })[];
  /** Answers permission requests; until one is set they wait. */
  onPermission(
    answer: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>,
  ): void;
  /** Everything that the agent writes from now on fails. */
  cut(): void;
  /** Sends a message as it is. */
  raw(message: Message): Promise<void>;
  /** The server is gone. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions {
  capabilities?: ClientCapabilities;
  acp?: Partial<AcpOptions>;
  server?: TestServer;
  serverOptions?: Parameters<typeof startServer>[1];
  /** Requests that the client answers beside permissions. */
  requests?: Record<string, (params: unknown, signal: AbortSignal) => Promise<unknown>>;
  initialize?: boolean;
  /** Holds all messages against a schema; that of version 1 unless told. */
  check?: typeof assertV1;
}

/** Both ends of a line between a client and an agent; each message is held against the protocol's schema. */
export function line(seen: Stage["messages"]) {
  const [up, down] = [new TransformStream<Message, Message>(), new TransformStream<Message, Message>()];
  const [upWriter, downWriter] = [up.writable.getWriter(), down.writable.getWriter()];
  let isCut = false;
  const watch = (from: "client" | "agent", writer: WritableStreamDefaultWriter<Message>) =>
    new WritableStream<Message>({
      async write(message) {
        if (isCut) throw new Error("the line is cut");
        // A copy as it would be on the wire.
        const copy = JSON.parse(JSON.stringify(message)) as Message;
        seen.push({ from, message: copy });
        await writer.write(copy);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    });
  return {
    client: { readable: down.readable, writable: watch("client", upWriter) },
    agent: { readable: up.readable, writable: watch("agent", downWriter) },
    raw: async (message: Message): Promise<void> => {
      seen.push({ from: "client", message });
      await upWriter.write(message);
    },
    cut: (): void => {
      isCut = true;
    },
    /** The client goes away. */
    end: (): Promise<void> => upWriter.close().catch(() => {}),
  };
}

/** A client of the SDK at Parley's agent, in front of a real server. */
export async function stage(t: Cleanup, options: StageOptions = {}): Promise<Stage> {
  const server = options.server ?? (await startServer(t, options.serverOptions));
  const messages: Stage["messages"] = [];
  const updates: Stage["updates"] = [];
  const wire = line(messages);
  const connector = createAcpAgent({
    client: async () => createClient({ url: server.api.url, name: "editor" }),
    version: "1.2.3",
    logger: silentLogger,
    ...options.acp,
  });
  const permit = Promise.withResolvers<Parameters<Stage["onPermission"]>[0]>();
  const app = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push({ ...params, at: messages.length });
    })
    .onRequest("session/request_permission", async ({ params, signal }) => {
      const answer = await permit.promise;
      return answer(params, signal);
    });
  for (const [method, answer] of Object.entries(options.requests ?? {}))
    app.onRequest(
      method,
      (params: unknown) => params,
      ({ params, signal }) => answer(params, signal),
    );
  const routed = connector.connect(wire.agent as never) as { closed: Promise<void>; end(): Promise<void> };
  const connection = app.connect(wire.client as never);
  t.after(async () => {
    await wire.end();
    await routed.closed;
    const isV2 = messages.some(({ message: { result } }) => isFields(result) && result.protocolVersion === 2);
    (options.check ?? (isV2 ? assertV2 : assertV1))(messages);
  });
  if (options.initialize ?? true)
    await connection.agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: "test", version: "1" },
    });
  return {
    server,
    agent: connection.agent,
    messages,
    updates,
    onPermission: permit.resolve,
    raw: wire.raw,
    cut: wire.cut,
    end: () => routed.end(),
    close: async () => {
      await wire.end();
      await routed.closed;
    },
  };
}

/** The words of the agent in some updates. */
export function textOf(updates: readonly { update: Update }[], kind = "agent_message_chunk"): string {
  return updates
    .map(({ update }) =>
      update.sessionUpdate === kind && "content" in update && update.content && "text" in update.content
        ? (update.content as { text: string }).text
        : "",
    )
    .join("");
}

export function updatesOf({ updates }: Pick<Stage, "updates">): Update[] {
  return updates.map(({ update }) => update);
}
