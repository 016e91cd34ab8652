import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Api } from "../../../src/agents/opencode/api.ts";
import type { RunningServer } from "../../../src/agents/opencode/serve/contract.ts";
import { jsonIn } from "../../../src/core/json/fields.ts";
import type { Cleanup } from "../../support/server.ts";

export const DIRECTORY = "/work";

/** A request that the stand-in was sent. */
export interface Heard {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: IncomingMessage["headers"];
}

/** An answer that is no JSON of status 200. */
export class Otherwise {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The connection is cut before the answer. */
export const CUT = new Otherwise(0);

type Handler = (heard: Heard, parts: readonly string[]) => unknown;

/** Stands for the program's server: routes are paths in which `:` stands for one piece, and the last one that fits counts. */
export class StandIn {
  readonly heard: Heard[] = [];
  /** The open streams of events. */
  readonly streams = new Set<ServerResponse>();
  /** The answer to a request for events; undefined: a stream is opened and greeted. */
  onStream: ((response: ServerResponse) => void) | undefined;
  url = "";
  readonly #routes: { method: string; path: RegExp; handler: Handler }[] = [];

  static async open(t: Cleanup): Promise<StandIn> {
    const one = new StandIn();
    const http = createServer((request, response) => {
      void one.#serve(request, response).catch(() => response.destroy());
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    one.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    t.after(async () => {
      http.closeAllConnections();
      http.close();
    });
    return one;
  }

  get server(): RunningServer {
    const gone = new Promise<never>(() => {});
    return { url: this.url, headers: { authorization: "Basic x" }, own: true, gone, kill: async () => {} };
  }

  api(directory = DIRECTORY): Api {
    return new Api(this.server, directory);
  }

  /** Answers requests such as `GET /session/:`; a value that is no function is the answer itself. */
  on(route: string, handler: unknown): this {
    const [method = "", path = ""] = route.split(" ");
    const pattern = new RegExp(`^${path.replaceAll(":", "([^/]+)")}$`);
    this.#routes.push({ method, path: pattern, handler: isHandler(handler) ? handler : () => handler });
    return this;
  }

  /** The requests for a route, such as `POST /session/:/abort`. */
  of(route: string): Heard[] {
    const [method = "", path = ""] = route.split(" ");
    const pattern = new RegExp(`^${path.replaceAll(":", "[^/]+")}$`);
    return this.heard.filter((one) => one.method === method && pattern.test(one.path));
  }

  /** Sends an event to all who listen. */
  send(type: string, properties: object = {}, id?: string): void {
    const event = { type, properties, ...(id === undefined ? {} : { id }) };
    for (const stream of this.streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const heard: Heard = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      body: jsonIn(Buffer.concat(chunks).toString("utf8")),
      headers: request.headers,
    };
    this.heard.push(heard);
    if (url.pathname === "/event") return this.#stream(response);
    const route = this.#routes.findLast(({ method, path }) => method === heard.method && path.test(heard.path));
    if (!route) return void response.writeHead(404).end("{}");
    const answer = await route.handler(heard, route.path.exec(heard.path)?.slice(1) ?? []);
    if (answer === CUT) return void response.destroy();
    const { status, body, headers } = answer instanceof Otherwise ? answer : new Otherwise(200, answer);
    const text = typeof body === "string" ? body : JSON.stringify(body ?? null);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  }

  #stream(response: ServerResponse): void {
    if (this.onStream) return this.onStream(response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"type":"server.connected","properties":{}}\n\n');
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
  }
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
