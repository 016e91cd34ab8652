import type { ParleyClient, Receipt } from "../../client/index.ts";
import { clientOf } from "../access/online-store.ts";
import type { OwnServer } from "../access/own-server.ts";
import { useServer } from "../access/use-server.ts";
import type { Settings } from "../config/settings.ts";
import { type PickedSession, pickSession, type SessionWish } from "./pick-session.ts";

export interface Begun extends PickedSession {
  client: ParleyClient;
  own: OwnServer | undefined;
  receipt: Receipt;
  /** Where the stream of all sessions was before the prompt. */
  position: number;
}

/** Called with the session before it gets the prompt. */
export type Before = (client: ParleyClient, session: PickedSession["detail"]) => Promise<void>;

/** Finds or starts a server, finds or makes the session, and gives it the prompt. */
export function begin(settings: Settings, wish: SessionWish, prompt: string, before: Before): Promise<Begun> {
  const start = async (): Promise<OwnServer> =>
    (await import("../access/own-server.ts")).startOwnServer(settings, wish.directory);
  return useServer(settings, start, async (server, own) => {
    const client = clientOf(server);
    const picked = await pickSession(client, wish);
    await before(client, picked.detail);
    const { next: position } = await client.page({ after: "latest", limit: 1 });
    const choice = picked.fresh ? {} : { model: wish.model, mode: wish.mode };
    const receipt = await client.session(picked.detail).prompt({ text: prompt, ...choice });
    return { ...picked, client, own, receipt, position };
  });
}
