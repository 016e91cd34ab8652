import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { type ClientApp, client, methods, type Stream } from "@agentclientprotocol/sdk/unstable";
import { WebSocket } from "ws";

export const WAYS = ["HTTP", "WebSocket"] as const;
export type Way = (typeof WAYS)[number];

/** The transport of the SDK's client to a server. */
export function remoteStream(way: Way, url: string, headers: Record<string, string>): Stream {
  if (way === "HTTP") return createHttpStream(`${url}/acp`, { headers });
  return createWebSocketStream(`${url.replace(/^http/, "ws")}/acp`, { headers, WebSocket });
}

export interface Seen {
  app: ClientApp;
  /** The updates of all sessions, in order. */
  updates: Record<string, unknown>[];
  text(): string;
}

/** A client of version 1 that allows whatever it is asked for. */
export function allowingClient(): Seen {
  const updates: Record<string, unknown>[] = [];
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update as Record<string, unknown>);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const option = params.options.find(({ kind }) => kind === "allow_once");
      return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
    });
  const text = (): string =>
    updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => (content as { text?: string }).text ?? "")
      .join("");
  return { app, updates, text };
}
