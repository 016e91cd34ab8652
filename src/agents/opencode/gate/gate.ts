import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Fields, fieldsIn, isFields, jsonIn, textIn } from "../../../core/json/fields.ts";
import { GATE_VARIABLE, writePlugin } from "./plugin.ts";

const LONGEST = 64 * 1024 * 1024;
const LOOK_MS = 50;
/** How long a sub-agent's session may be unknown: its beginning is told by another way than its calls. */
const UNKNOWN_MS = 15_000;

/** How long a plugin may take to report. The program may install what plugins need before it loads them. */
const REPORT_MS = 90_000;
const UNGUARDED =
  "it does not ask Parley before it makes calls, so the session's rules cannot hold (does OPENCODE_PURE keep plugins out?)";

/** A call that the program is about to make. */
export interface GateCall {
  session: string;
  call: string;
  tool: string;
  input: Fields;
}

/** A session whose rules hold for calls. */
export interface Gatekeeper {
  owns(session: string): boolean;
  /** Something came from a session that nobody owns. */
  lookUp(session: string): void;
  /** Resolves when the call may be made, or with the reason why not. */
  hear(call: GateCall): Promise<string | undefined>;
}

/** How a server is started so that it asks before each call. */
export interface GateLaunch {
  /** By this the server's plugins are known. */
  id: string;
  plugin: string;
  env: Record<string, string>;
  /** The server is gone, or never came: nothing that names its id is heard any more. */
  forget(): void;
}

/** Where servers ask before each call of a tool. It listens on this machine only. */
export class Gate {
  readonly #parent: string;
  readonly #keepers = new Set<Gatekeeper>();
  /** The directories in which a plugin of a server has reported. */
  readonly #reported = new Map<string, Set<string>>();
  #server: Promise<Server> | undefined;

  constructor(parent: string) {
    this.#parent = parent;
  }

  async launch(): Promise<GateLaunch> {
    this.#server ??= this.#listen();
    const { port } = (await this.#server).address() as AddressInfo;
    const plugin = writePlugin(this.#parent);
    const id = randomBytes(24).toString("base64url");
    this.#reported.set(id, new Set());
    const env = { [GATE_VARIABLE]: `http://127.0.0.1:${port}/${id}` };
    return { id, plugin, env, forget: () => void this.#reported.delete(id) };
  }

  /** Resolves when a server asks before the calls that it makes in a directory: its plugin there has reported. Rejects when it does not come. */
  async untilIn(id: string | undefined, directory: string, limitMs = REPORT_MS): Promise<void> {
    const reported = this.#reported.get(id ?? "");
    for (const end = Date.now() + limitMs; reported && Date.now() < end; await delay(LOOK_MS))
      if (reported.has(directory) || reported.has(real(directory))) return;
    throw new Error(UNGUARDED);
  }

  join(keeper: Gatekeeper): void {
    this.#keepers.add(keeper);
  }

  leave(keeper: Gatekeeper): void {
    this.#keepers.delete(keeper);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    server?.closeAllConnections();
    server?.close();
  }

  #listen(): Promise<Server> {
    const server = createServer((request, response) => {
      void this.#serve(request, response).catch(() => response.destroy());
    });
    // A person may take as long as they want.
    server.requestTimeout = 0;
    server.unref();
    return new Promise((resolve, reject) => {
      server.once("error", (error) => {
        this.#server = undefined;
        reject(error);
      });
      server.listen(0, "127.0.0.1", () => resolve(server));
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = (request.url ?? "").slice(1);
    const reported = this.#reported.get(id);
    const body = reported && request.method === "POST" ? jsonIn(await textOf(request)) : undefined;
    if (!reported || !isFields(body)) {
      response.writeHead(404).end();
      return;
    }
    const directory = textIn(body, "directory");
    if (directory !== undefined) reported.add(directory).add(real(directory));
    const refused = directory === undefined ? await this.#hear(callIn(body)) : undefined;
    const text = JSON.stringify({ refused: refused ?? null });
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  async #hear(call: GateCall): Promise<string | undefined> {
    for (const end = Date.now() + UNKNOWN_MS; Date.now() < end; await delay(LOOK_MS)) {
      const keepers = [...this.#keepers];
      const owner = keepers.find((keeper) => keeper.owns(call.session));
      if (owner) return owner.hear(call);
      for (const keeper of keepers) keeper.lookUp(call.session);
    }
    return "Parley does not know the session of this call";
  }
}

function callIn(body: Fields): GateCall {
  const [session = "", call = "", tool = ""] = [textIn(body, "session"), textIn(body, "call"), textIn(body, "tool")];
  return { session, call, tool, input: fieldsIn(body, "input") };
}

function real(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LONGEST) throw new Error("too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
