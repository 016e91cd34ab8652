import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { idSource } from "../../../src/core/ids.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { createMetrics } from "../../../src/core/metrics.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import { OpenTerminals } from "../../../src/host/terminals/terminals.ts";
import { createOpencode } from "../../../src/surfaces/opencode/app.ts";
import type { OpencodeEvent } from "../../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { createSurface } from "../../../src/surfaces/opencode/surface.ts";
import { SseClients } from "../../../src/surfaces/stream/sse-clients.ts";
import { houseAgent, type RigOptions, workDirectory } from "../../agents/house/support.ts";
import { type Rig, rig } from "../../gateway/rig.ts";
import { OpencodeClient } from "../../support/opencode.ts";

export interface TurnRig extends Rig {
  client: OpencodeClient;
  /** The events that were published beside the log. */
  published: { directory: string | null; event: OpencodeEvent }[];
  /** Where the session works. */
  work: string;
  session: string;
  post<T>(path: string, body: unknown, status?: number): Promise<T>;
  messages(session?: string): Promise<MessageWithParts[]>;
  info(session?: string): Promise<Session>;
}

/** OpenCode's API on a real port, over a gateway with the house agent, whose model and bus the test holds. */
export async function turnRig(t: TestContext, options: RigOptions = {}): Promise<TurnRig> {
  const agent = houseAgent(options, await workDirectory(t));
  const made = await rig(t, { agents: new Map([["house", agent]]), defaultAgent: "house" });
  const { gateway, directory: dataDirectory } = made;
  const commands = createProcessHost({ runDirectory: await workDirectory(t), instance: "surface-test" });
  const work = await workDirectory(t);
  const surface = createSurface({
    gateway,
    clients: new SseClients(createMetrics()),
    commands,
    terminals: new OpenTerminals({ runDirectory: dataDirectory, instance: "rig", id: idSource(Date.now) }),
    version: "test",
    logger: silentLogger,
    defaultDirectory: work,
    dataDirectory,
  });
  const published: TurnRig["published"] = [];
  surface.bus.listen((directory, event) => published.push({ directory, event }));
  const server = createServer(createOpencode(surface));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const client = new OpencodeClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { id: session } = await client.expect<Session>(200, "POST", "/session", { body: {} });
  return {
    ...made,
    client,
    published,
    work,
    session,
    post: (path, body, status = 200) => client.expect(status, "POST", path, { body }),
    messages: (id = session) => client.get(`/session/${id}/message`),
    info: (id = session) => client.get(`/session/${id}`),
  };
}

/** The text parts of a message. */
export function textsOf({ parts }: MessageWithParts): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
