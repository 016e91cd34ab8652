import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isFields, textIn } from "../../core/json/fields.ts";
import type { AcpConnection, Connect } from "./agent.ts";
import type { SendNow } from "./session/front.ts";
import type { AcpOptions } from "./surface.ts";
import { v1App } from "./v1/app.ts";

/**
 * The agent for a process with one client. Version 2 and the choice between versions are as large as all the rest, and are
 * loaded for clients that do not begin with a request for version 1.
 */
export function createLazyAcpAgent(options: AcpOptions): { connect: Connect } {
  return {
    connect(stream, given) {
      const connected = Promise.withResolvers<AcpConnection>();
      const connect = async (): Promise<void> => {
        const { first, rest } = await beginningOf(stream.readable);
        const agent = wantsV1(first) ? v1Agent(options) : (await import("./agent.ts")).createAcpAgent(options);
        const connection = agent.connect({ ...stream, readable: rest }, given);
        connected.resolve(connection);
        await connection.closed;
      };
      const closed = connect();
      // A client that has said nothing has nothing to be taken back.
      const none: AcpConnection = { closed, rest: async () => {}, leave: async () => {}, end: async () => {} };
      const begun = (): Promise<AcpConnection> => Promise.race([connected.promise, Promise.resolve(none)]);
      return {
        closed,
        rest: async () => (await begun()).rest(),
        leave: async () => (await begun()).leave(),
        end: async () => (await begun()).end(),
      };
    },
  };
}

function v1Agent(options: AcpOptions): { connect: Connect } {
  return {
    connect(stream: Stream & { sendNow?: SendNow }) {
      const { app, sessions } = v1App(options, stream.sendNow);
      const connection = app.connect(stream);
      return {
        closed: connection.closed.then(() => sessions.close()),
        rest: () => sessions.rest(),
        leave: () => sessions.leave(),
        end: () => sessions.end(),
      };
    },
  };
}

/** Whether a message is the request that begins a connection of version 1, and nothing in it is for the router to refuse. */
export function wantsV1(message: unknown): boolean {
  if (!isFields(message) || message.method !== "initialize" || !isFields(message.params)) return false;
  const { protocolVersion, clientCapabilities = {}, clientInfo } = message.params;
  const isNamed = (info: unknown): boolean =>
    isFields(info) && textIn(info, "name") !== undefined && textIn(info, "version") !== undefined;
  const isRequest = typeof message.id === "number" || typeof message.id === "string";
  return (
    isRequest && protocolVersion === 1 && isFields(clientCapabilities) && (clientInfo == null || isNamed(clientInfo))
  );
}

/** The first message, and the whole stream again. */
async function beginningOf(
  readable: Stream["readable"],
): Promise<{ first: AnyMessage | undefined; rest: Stream["readable"] }> {
  const reader = readable.getReader();
  const { value: first } = await reader.read();
  let next = first;
  const rest = new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        const value = next ?? (await reader.read()).value;
        next = undefined;
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { first, rest };
}
