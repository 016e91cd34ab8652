import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { percentile } from "../harness/stats.ts";

/** A page with a look into the browser behind it. */
export interface Watched {
  page: Page;
  /** Kilobytes that came over the wire so far. */
  kilobytes(): number;
  /** Megabytes of its heap after a collection of garbage. */
  heapMb(): Promise<number>;
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

/** Megabytes of a page's heap after a collection of garbage. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    return await heapMb(session);
  } finally {
    await session.detach();
  }
}

/** A new page. Unless told, it has nothing that the browser has kept. */
export async function openWatched(context: BrowserContext, { cache = false } = {}): Promise<Watched> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: !cache });
  return { page, kilobytes: () => bytes / 1_000, heapMb: () => heapMb(session) };
}

interface Goal {
  /** Something that the page has when a person can use it. */
  selector: string;
  /** The words in it. */
  words?: string;
}

// What runs inside of the page is text: this program knows no document.

function lookFor({ selector, words = "" }: Goal): string {
  return `(() => {
    const look = () => {
      const all = [...document.querySelectorAll(${JSON.stringify(selector)})];
      if (all.some((one) => one.textContent.includes(${JSON.stringify(words)}))) window.goalAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })()`;
}

const AWAIT_GOAL = `new Promise((done) => {
  const look = () => (window.goalAt === undefined ? requestAnimationFrame(look) : done(window.goalAt));
  look();
})`;

/** Loads an address, and resolves with the milliseconds from the request until the page has something, by its own clock. */
export async function timeUntil({ page }: Watched, url: string, goal: Goal): Promise<number> {
  await page.addInitScript({ content: lookFor(goal) });
  await page.goto(url);
  return page.evaluate<number>(AWAIT_GOAL);
}

/** Clicks on something as a person does, and resolves with the milliseconds from the click until the page has some words. */
export async function clickUntil({ page }: Watched, selector: string, words: string): Promise<number> {
  await page.evaluate(`addEventListener("click", () => {
    const clicked = performance.now();
    const look = () => {
      if (document.body.textContent.includes(${JSON.stringify(words)})) window.clickTook = performance.now() - clicked;
      else requestAnimationFrame(look);
    };
    look();
  }, { capture: true, once: true })`);
  await page.locator(selector).first().click({ delay: 50 });
  return page.evaluate<number>(`new Promise((done) => {
    const look = () => (window.clickTook === undefined ? requestAnimationFrame(look) : done(window.clickTook));
    look();
  })`);
}

const COUNT_FRAMES = `(() => {
  const frames = (window.frameTimes = []);
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    if (window.frameTimes === frames) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

/** The 95th percentile of the times between two frames while something is done. */
export async function frameTimes({ page }: Pick<Watched, "page">, work: () => Promise<void>): Promise<number> {
  await page.evaluate(COUNT_FRAMES);
  await work();
  const frames = await page.evaluate<number[]>(
    "(() => { const all = window.frameTimes; window.frameTimes = []; return all; })()",
  );
  return percentile(frames, 0.95);
}
