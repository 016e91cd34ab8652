import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { type ClientApp, client, methods, ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";
import { WebSocket } from "ws";
import { BIN, type Home } from "../../cli/support.ts";

export const WAYS = ["HTTP", "WebSocket"] as const;
export type Way = (typeof WAYS)[number];

/** The transport of the SDK's client to a server. */
export function remoteStream(way: Way, url: string, headers: Record<string, string>): Stream {
  if (way === "HTTP") return createHttpStream(`${url}/acp`, { headers });
  return createWebSocketStream(`${url.replace(/^http/, "ws")}/acp`, { headers, WebSocket });
}

/** A process of `parley acp` as the SDK's client reaches it; `leave` closes its stdin, and sees that it ends. */
export function stdioStream(
  home: Home,
  env: Record<string, string>,
  args: readonly string[] = [],
): { stream: Stream; leave(): Promise<void> } {
  const child = spawn(process.execPath, [BIN, "acp", ...args], {
    cwd: home.work,
    env: home.env(env),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const out = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const leave = async (): Promise<void> => {
    child.stdin.destroy();
    assert.deepEqual(await exited, [0, null]);
  };
  return { stream: ndJsonStream(Writable.toWeb(child.stdin), out), leave };
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
