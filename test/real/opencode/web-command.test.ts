import assert from "node:assert/strict";
import { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { listProcesses } from "../../../src/host/process-scan.ts";
import { findBrowser, NO_BROWSER, startBrowser } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { type RealChild, startChild } from "../../support/opencode/child.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { openPage, sendPrompt } from "../../support/opencode/web-page.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../../support/time.ts";

const { program = "", ...agent } = await realAgent("opencode");
const browserProgram = await findBrowser();
const skip = browserProgram === undefined ? NO_BROWSER : agent.skip;
const PARLEY = fileURLToPath(new URL("../../../bin/parley.js", import.meta.url));

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

describe("parley opencode --web", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let start: () => RealChild;
  let child: RealChild;
  let address: URL;
  let page: Page;
  /** The file with the address that the browser was begun with. */
  let opened: string;
  const foreign: string[] = [];

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings } = stage;
    const directory = surroundings.project("project", FILES);
    opened = join(surroundings.root, "opened");
    const browses = join(surroundings.root, "browse");
    writeFileSync(browses, `#!/bin/sh\nprintf %s "$1" > "${opened}.new" && mv "${opened}.new" "${opened}"\n`, {
      mode: 0o755,
    });
    const env = surroundings.env({ PARLEY_OPENCODE_BIN: program, PARLEY_AGENT: "house", BROWSER: browses });
    const args = [PARLEY, "opencode", "--web", "--data-dir", join(surroundings.root, "data"), directory];
    start = () => {
      const started = startChild(process.execPath, args, { cwd: directory, env });
      stage.after(async () => void (await started.end()));
      return started;
    };
    child = start();
    const [found = ""] = await child.said(/^http:\S+$/m, PATIENCE_MS);
    address = new URL(found);
    const browser = stage.use(await startBrowser(browserProgram ?? "", { env: surroundings.env({}, "browser") }));
    page = await browser.context.newPage();
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== address.origin) foreign.push(request.url());
    });
    await openPage(page, found, "Scripted (no model, no key)");
  });
  after(() => stage[Symbol.asyncDispose]());

  const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(new URL(path, address), { headers, redirect: "manual" })).status;

  test("the browser is begun with a key that is good once, since other users see its arguments", async () => {
    await eventually("the browser was begun", () => existsSync(opened));
    const { pathname, search, searchParams } = new URL(readFileSync(opened, "utf8"));
    assert.notEqual(searchParams.get("key"), address.searchParams.get("key"));
    const visit = (): Promise<number> => status(`${pathname}${search}`, { accept: "text/html" });
    assert.deepEqual([await visit(), await visit()], [302, 200]);
  });

  test("a prompt that is sent in the browser is answered by the house agent", async () => {
    await sendPrompt(page, "Say hello");
    await page
      .getByText(/so nobody thinks here/)
      .first()
      .waitFor();
  });

  test("the address in the browser shows no key, and the page works again after it is loaded anew", async () => {
    assert.doesNotMatch(page.url(), /key=/);
    await page.reload();
    await page
      .getByText(/so nobody thinks here/)
      .first()
      .waitFor();
  });

  test("nothing is asked of another machine", () => {
    assert.deepEqual(foreign, []);
  });

  test("others on the machine get the empty page and nothing else", async () => {
    const { searchParams } = address;
    const cookie = { cookie: `parley_web_${address.port}=${searchParams.get("key")}` };
    assert.equal(await status("/session", cookie), 200);
    assert.equal(await status("/session"), 401);
    assert.equal(await status("/session", { cookie: `parley_web_${address.port}=guess` }), 401);
    assert.equal(await status("/session", { ...cookie, origin: "http://127.0.0.1:8080" }), 403);
    assert.equal(await status("/v1/sessions"), 401);
    assert.equal(await status("/global/health", cookie), 200);
    const html = { accept: "text/html" };
    assert.equal(await status("/config", html), 200);
    const text = await (await fetch(new URL("/config", address), { headers: html })).text();
    assert.match(text, /<title>OpenCode<\/title>/);
  });

  /** The processes that serve the page. */
  const running = (): number[] => {
    const data = join(stage.surroundings.root, "data");
    return listProcesses()
      .map(({ pid }) => pid)
      .filter((pid) => cwdOf(pid).startsWith(data));
  };

  test("Ctrl-C ends it, with the program that serves the page", async () => {
    if (existsSync("/proc/self/cwd")) assert.ok(running().length > 0);
    process.kill(child.pid, "SIGINT");
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    await eventually("the page's program has ended", async () => running().length === 0);
  });

  test("the program that serves the page does not outlive a command that is killed", async () => {
    const again = start();
    await again.said(/^http:\S+$/m, PATIENCE_MS);
    if (existsSync("/proc/self/cwd")) assert.ok(running().length > 0);
    process.kill(again.pid, "SIGKILL");
    await again.exited;
    await eventually("the page's program has ended", async () => running().length === 0);
    // A server of OpenCode that was asked for its models is ended by the next start.
    const last = start();
    await last.said(/^http:\S+$/m, PATIENCE_MS);
    process.kill(last.pid, "SIGINT");
    await last.exited;
  });
});
