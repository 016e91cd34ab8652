import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { createClient } from "../src/client/index.ts";
import { findBrowser, startBrowser } from "../test/support/browser.ts";
import { startServer } from "../test/support/server.ts";
import { playPast } from "./console/sample-past.ts";
import { beginSamples, SAMPLES, sampleAgents } from "./console/sample-sessions.ts";

// Takes the pictures of docs/console.md: a server with sessions that the scripted agent plays, and a browser that looks at them.
const OUT = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };

const DAY_MS = 86_400_000;
/** The server's clock goes through the last weeks, so that there is something to show of them. */
const { now } = Date;
let behind = 0;
Date.now = () => now() - behind;

const program = await findBrowser();
if (!program) throw new Error("expected a browser: chromium, chromium-browser or google-chrome");
const closing: (() => Promise<void>)[] = [];
const owner = { after: (close: () => Promise<void>) => void closing.unshift(close) };

async function take(page: Page, name: string): Promise<void> {
  const path = join(OUT, `${name}.webp`);
  const chromium = await page.context().newCDPSession(page);
  // Playwright itself takes no pictures of this kind, which have a third of the size.
  const { data } = await chromium.send("Page.captureScreenshot", { format: "webp", quality: 90 });
  await writeFile(path, data, "base64");
  console.log(`took ${path}`);
}

try {
  const hidden = await realpath(await mkdtemp(join(tmpdir(), "parley-picture-")));
  owner.after(() => rm(hidden, { recursive: true, force: true }));
  const projects = join(tmpdir(), "projects");
  await mkdir(projects);
  owner.after(() => rm(projects, { recursive: true, force: true }));
  behind = 30 * DAY_MS;
  const server = await startServer(owner, { agents: await sampleAgents(hidden) });
  const client = createClient({ url: server.parley.url, token: null });
  await playPast(client, projects, (ago) => {
    behind = ago * DAY_MS;
  });
  const browser = await startBrowser(program, { env: { ...(process.env as Record<string, string>) } });
  owner.after(() => browser[Symbol.asyncDispose]());
  const page = await browser.context.newPage();
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const open = async (path: string, size = WIDE): Promise<void> => {
    await page.setViewportSize(size);
    await page.goto(`${server.parley.url}/console/${path}`);
    await page.locator(".link-state.live").first().waitFor({ state: "attached" });
  };
  // A browser that was there before tells what is new.
  await open("");
  const ids = await beginSamples(client, projects);
  const session = (title: RegExp): string => `s/${ids[SAMPLES.findIndex((sample) => title.test(sample.title))]}`;

  await page.locator("article.ask").nth(2).waitFor();
  await page.getByText("Failed", { exact: true }).first().waitFor();
  await take(page, "console");
  await page.locator(".session-row").last().scrollIntoViewIfNeeded();
  await take(page, "console-board");
  await open("inbox");
  await page.locator("article.ask").nth(2).waitFor();
  await take(page, "console-inbox");
  await open(session(/month 13/));
  await page.locator(".turn.over .diff").waitFor();
  await take(page, "console-transcript");
  await open("usage");
  await page.locator("table").waitFor();
  await take(page, "console-usage");
  await open("inbox", PHONE);
  await page.locator("article.ask").nth(2).waitFor();
  await take(page, "console-phone");
} finally {
  for (const close of closing) await close();
}
