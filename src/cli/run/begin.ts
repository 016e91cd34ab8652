import { ParleyApiError, type ParleyClient, ParleyConnectionError, type Receipt } from "../../client/index.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import { apiProblem } from "../access/api-problems.ts";
import { findServer } from "../access/find-server.ts";
import { clientOf } from "../access/online-store.ts";
import type { OwnServer } from "../access/own-server.ts";
import type { Settings } from "../config/settings.ts";
import { startProblem } from "../serve/problems.ts";
import { type PickedSession, pickSession, type SessionWish } from "./pick-session.ts";

export interface Begun extends PickedSession {
  client: ParleyClient;
  own: OwnServer | undefined;
  receipt: Receipt;
  /** Where the stream of all sessions was before the prompt. */
  position: number;
}

/** A server that was found may be leaving at that moment: then the next look finds another, or none. */
const TRIES = 5;

function isLeaving(error: unknown): boolean {
  return (
    error instanceof ParleyConnectionError ||
    error instanceof AlreadyRunning ||
    (error instanceof ParleyApiError && error.code === "shutting_down")
  );
}

async function start(settings: Settings, directory: string): Promise<OwnServer> {
  const { startOwnServer } = await import("../access/own-server.ts");
  try {
    return await startOwnServer(settings, directory);
  } catch (thrown) {
    throw thrown instanceof AlreadyRunning ? thrown : startProblem(thrown, settings);
  }
}

/** Called with the session before it gets the prompt. */
export type Before = (client: ParleyClient, session: PickedSession["detail"]) => Promise<void>;

async function attempt(settings: Settings, wish: SessionWish, prompt: string, before: Before): Promise<Begun> {
  const found = await findServer(settings);
  if (found) return give(clientOf(found), undefined, wish, prompt, before);
  const own = await start(settings, wish.directory);
  try {
    return await give(clientOf(own), own, wish, prompt, before);
  } catch (error) {
    await own.close();
    throw error;
  }
}

async function give(
  client: ParleyClient,
  own: OwnServer | undefined,
  wish: SessionWish,
  prompt: string,
  before: Before,
): Promise<Begun> {
  const chosen = await pickSession(client, wish);
  await before(client, chosen.detail);
  const { next: position } = await client.page({ after: "latest", limit: 1 });
  const choice = chosen.fresh ? {} : { model: wish.model, mode: wish.mode };
  const receipt = await client.session(chosen.detail).prompt({ text: prompt, ...choice });
  return { ...chosen, client, own, receipt, position };
}

/** Finds or starts a server, finds or makes the session, and gives it the prompt. */
export async function begin(settings: Settings, wish: SessionWish, prompt: string, before: Before): Promise<Begun> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await attempt(settings, wish, prompt, before);
    } catch (error) {
      if (left === 0 || !isLeaving(error)) throw apiProblem(error, settings);
    }
  }
}
