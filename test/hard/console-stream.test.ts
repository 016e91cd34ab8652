import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { frameTimes, heapOf } from "../../bench/console/page.ts";
import type { Draft, ParleyEvent } from "../../src/core/events/event.ts";
import { openLog } from "../../src/log/data-log.ts";
import { startScriptedModel } from "../../src/testing/index.ts";
import { longExport } from "../console/long-session.ts";
import { ALLOW_ALL } from "../console/session-stage.ts";
import { type ConsoleStage, openConsole } from "../console/stage.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Cleanup, temporary } from "../support/server.ts";

// Ten minutes show a slope of 1 MB a minute; fewer are for trying this test itself.
const minutes = Number(process.env.PARLEY_CONSOLE_MINUTES ?? 10);
const PIECES = 2_000;
const PERIOD_MS = 5;
const ITEMS = 3;
/** A machine that does nothing else takes half a minute for one. */
const TURN_MS = 600_000;
const BATCH = 1_000;
/** A prompt, calls with their results and an answer each: 10,080 items. */
const LENGTH = { turns: 120, calls: 41 };
/** After the first ones the page's code is compiled and its caches are filled. */
const WARM = Math.min(2, minutes / 5);
/** Eight minutes say a megabyte of text, of which the page holds a few copies. */
const GROWTH_MB = 12;

const answer = {
  pace: PERIOD_MS,
  text: Array.from({ length: PIECES }, (_, at) => `word <${at}>${at % 150 === 149 ? "\n\n" : " "}`),
};
const tools = [{ name: "bash", input: { command: "seq 1 40" } }];
const SCRIPT = {
  prompts: { stream: [...Array.from({ length: ITEMS - 1 }, () => ({ ...answer, tools })), answer] },
};

/** Stores the session in a data directory: it is too long for one request. */
async function writeLong(dataDirectory: string, directory: string): Promise<string> {
  const [, ...events] = longExport(LENGTH, directory)
    .lines.split("\n")
    .map((line) => JSON.parse(line) as ParleyEvent);
  const id = events[0]?.session ?? assert.fail();
  const log = await openLog({ directory: dataDirectory, sync: "process" });
  try {
    const hold = await log.open({ id });
    for (let from = 0; from < events.length; from += BATCH) {
      const some = events.slice(from, from + BATCH);
      const drafts = some.map(({ id: _, seq: __, session: ___, ...draft }) => ({ draft: draft as Draft }));
      await hold.append(from, drafts);
    }
  } finally {
    await log.close();
  }
  return id;
}

/** A page of a session of 10,000 items, with the house agent on a scripted model. */
async function openLong(t: Cleanup): Promise<{ stage: ConsoleStage; id: string; page: Page } | undefined> {
  const model = await startScriptedModel({ script: SCRIPT });
  t.after(() => model.close());
  const endpoint = { url: `${model.url}/v1`, models: [{ id: "model", context: 10_000_000 }] };
  const house = { model: "script/model", endpoints: { script: endpoint } };
  const home = await temporary(t);
  const dataDirectory = join(home, "data");
  const id = await writeLong(dataDirectory, home);
  const stage = await openConsole(t, { dataDirectory, defaultAgent: "house", house });
  if (!stage) return undefined;
  await stage.server.api.call("PATCH", `/v1/sessions/${id}`, { permissions: ALLOW_ALL });
  const page = await stage.open(`s/${id}`);
  await page.getByText(`Answer ${LENGTH.turns}, with`).waitFor();
  return { stage, id, page };
}

async function turn({ server }: ConsoleStage, id: string): Promise<void> {
  const before = (await server.api.session(id)).turns;
  await server.api.call("POST", `/v1/sessions/${id}/prompts`, { text: "[[stream]] go on" });
  const isOver = async (): Promise<boolean> => {
    const { turns, turn: running } = await server.api.session(id);
    return turns > before && running === null;
  };
  await eventually("the turn is over", isOver, TURN_MS);
}

const minutesSince = (began: number): number => (performance.now() - began) / 60_000;

test(`${minutes} minutes of 200 pieces a second into 10,000 items: the page's heap and frames stay flat`, {
  timeout: (minutes + 10) * 60_000,
}, async (t) => {
  // The last that was made is closed first: the server before the directory that it writes to.
  const closing: (() => unknown)[] = [];
  t.after(async () => {
    for (const close of closing) await close();
  });
  const long = await openLong({ after: (close) => void closing.unshift(close) });
  if (!long) return t.skip(NO_BROWSER);
  const { stage, id, page } = long;
  const blank = await page.context().newPage();
  const began = performance.now();
  let early: number | undefined;
  const frames: { shown: number; blank: number }[] = [];
  while (minutesSince(began) < minutes) {
    await page.bringToFront();
    const shown = await frameTimes({ page }, () => turn(stage, id));
    await blank.bringToFront();
    const empty = await frameTimes({ page: blank }, () => blank.waitForTimeout(2_000));
    frames.push({ shown, blank: empty });
    if (minutesSince(began) >= WARM) early ??= await heapOf(page);
  }
  const grown = (await heapOf(page)) - (early ?? 0);
  const facts = `grown by ${grown.toFixed(1)} MB, p95 of frames, shown and blank: ${frames.map((one) => `${one.shown.toFixed(1)}/${one.blank.toFixed(1)}`).join(" ")}`;
  t.diagnostic(facts);
  assert.ok(grown < GROWTH_MB, `expected a flat heap: ${facts}`);
  const slow = frames.filter((one) => one.shown > 2 * one.blank + 2);
  assert.ok(slow.length <= frames.length / 10, `expected frames as of an empty page: ${facts}`);
});
