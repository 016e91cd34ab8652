import { setTimeout as delay } from "node:timers/promises";
import { ParleyConnectionError } from "../../../client/index.ts";

const TRIES = 5;
const PAUSE_MS = 100;

/** Repeats a request that takes effect once, however often it arrives, while its connection breaks: the client cannot know that it was lost. */
export async function insist<T>(request: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ParleyConnectionError) || tried === TRIES) throw error;
      await delay(PAUSE_MS * tried);
    }
  }
}
