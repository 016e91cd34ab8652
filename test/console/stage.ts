import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ParleyOptions } from "../../src/server/parley.ts";
import { findBrowser, startBrowser } from "../support/browser.ts";
import { type Cleanup, startServer, type TestServer } from "../support/server.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { PATIENCE_MS } from "../support/time.ts";

/** A server and a browser, which the tests of a file share. */
export interface ConsoleStage {
  server: TestServer;
  /** Stands between the browser and the server. */
  proxy: TcpProxy;
  /** A tab of the console at a path below `/console/`. */
  open(path?: string, size?: { width: number; height: number }): Promise<Page>;
  /** Sends a prompt of a new session, and resolves with the session's id. */
  begin(text: string, more?: object): Promise<string>;
}

/** Lines of a browser that say no more than that the server was away, which tests do on purpose. */
const AWAY = /Failed to load resource|net::ERR_|the server responded with a status/;

/** What a page's console and its errors said: scripts that failed, and breaks of the policy. Nothing is what is right. */
function watch(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (!AWAY.test(message.text())) problems.push(`${page.url()}: ${message.text()}`);
  });
}

/** Undefined where the machine has no browser. */
export async function openConsole(t: Cleanup, options: Partial<ParleyOptions> = {}): Promise<ConsoleStage | undefined> {
  const program = await findBrowser();
  if (!program) return undefined;
  const server = await startServer(t, options);
  const proxy = await TcpProxy.start(Number(new URL(server.parley.url).port));
  t.after(() => proxy.close());
  const browser = await startBrowser(program, { env: { ...(process.env as Record<string, string>) } });
  t.after(() => browser[Symbol.asyncDispose]());
  const problems: string[] = [];
  t.after(async () => assert.deepEqual(problems, [], "errors of pages"));
  const url = `http://127.0.0.1:${proxy.port}`;
  return {
    server,
    proxy,
    async open(path = "", size = { width: 1280, height: 900 }) {
      const page = await browser.context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      watch(page, problems);
      await page.setViewportSize(size);
      await page.goto(`${url}/console/${path}`);
      return page;
    },
    async begin(text, more = {}) {
      const { id } = await server.api.create({ directory: server.directory, ...more });
      await server.api.call("POST", `/v1/sessions/${id}/prompts`, { text });
      return id;
    },
  };
}
