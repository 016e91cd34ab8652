import type { BrowserContext } from "playwright-core";
import { createSession, prompt } from "../harness/api.ts";
import { type Figure, under } from "../harness/figure.ts";
import { tempDirectory } from "../harness/machine.ts";
import { type Server, startParley } from "../harness/server.ts";
import { manySessions } from "../harness/sessions.ts";
import { frameTimes, openWatched, timeUntil, type Watched } from "./page.ts";

export interface BoardSizes {
  sessions: number;
  active: number;
  /** Turns of the wheel. */
  wheels: number;
}

const WHEEL_PX = 300;
/** Pieces and milliseconds between them: a turn begins or ends all the time. */
const TURN = "4 250";

/** Scrolls the board from its beginning as far as it goes, and back, and gives the 95th percentile of the frames' times. */
async function scrolled(watched: Watched, wheels: number): Promise<number> {
  const { page } = watched;
  await page.mouse.move(800, 500);
  return frameTimes(watched, async () => {
    for (const way of [WHEEL_PX, -WHEEL_PX]) for (let at = 0; at < wheels; at++) await page.mouse.wheel(0, way);
  });
}

/** Turns in some sessions, one after the other in each, while something is done. */
async function whileWorking<T>(server: Server, sessions: readonly string[], work: () => Promise<T>): Promise<T> {
  let over = false;
  const working = sessions.map(async (session) => {
    while (!over) await prompt(server, session, TURN, true);
  });
  const all = Promise.all(working);
  try {
    return await Promise.race([work(), all.then(() => Promise.reject(new Error("expected the turns to go on")))]);
  } finally {
    over = true;
    await all;
  }
}

/** The board with many sessions, while it is scrolled: none of them at work, then some. */
export async function boardScrolls(
  scope: AsyncDisposableStack,
  context: BrowserContext,
  { sessions, active, wheels }: BoardSizes,
): Promise<Figure[]> {
  const dataDirectory = await tempDirectory(scope);
  await manySessions(dataDirectory, sessions, 0);
  const server = await startParley(scope, { dataDirectory });
  const busy: string[] = [];
  for (let count = 0; count < active; count++) busy.push(await createSession(server, "paced"));
  const empty = await openWatched(context);
  const blank = await frameTimes(empty, () => empty.page.waitForTimeout(2_000));
  await empty.page.close();
  const watched = await openWatched(context);
  await timeUntil(watched, `${server.url}/console/`, { selector: ".session-row" });
  const idle = await scrolled(watched, wheels);
  const working = await whileWorking(server, busy, async () => {
    await watched.page.locator(".session-row .dot.working").first().waitFor({ state: "attached" });
    return scrolled(watched, wheels);
  });
  await watched.page.close();
  const anchor = { name: "an empty page", value: blank };
  return [
    { work: "console, board", value: idle, unit: "ms", anchor, goal: under(33, "ms", idle) },
    { work: "console, board at work", value: working, unit: "ms", anchor, goal: under(33, "ms", working) },
  ];
}
