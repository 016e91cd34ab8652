import type { ParleyClient, SessionDetail } from "../../client/index.ts";
import { everySession, type Store } from "../access/store.ts";
import { usageError } from "../exit.ts";
import { pickId } from "../session-ids.ts";

export interface SessionWish {
  directory: string;
  agent?: string;
  /** The agent of a new session, when no other was asked for. */
  defaultAgent?: string;
  model?: string;
  mode?: string;
  title?: string;
  session?: string;
  continue?: boolean;
}

export interface PickedSession {
  detail: SessionDetail;
  fresh: boolean;
}

async function newestOf(client: ParleyClient, directory: string): Promise<string> {
  const { sessions } = await client.sessions.list({ directory, limit: 1 });
  const id = sessions[0]?.id;
  if (id === undefined)
    throw usageError(`--continue: there is no session of ${directory} yet; leave it out to begin one`);
  return id;
}

async function named(client: ParleyClient, given: string): Promise<string> {
  const list: Store["list"] = async (query) => (await client.sessions.list(query)).sessions;
  const ids = (await everySession({ list })).map(({ id }) => id);
  return pickId(given, ids);
}

/** The session that the prompt goes to: the one that was named, the newest one here, or a new one. */
export async function pickSession(client: ParleyClient, wish: SessionWish): Promise<PickedSession> {
  const { agent, model, mode, title, directory } = wish;
  if (wish.session === undefined && !wish.continue) {
    const detail = await client.sessions.create({ directory, agent: agent ?? wish.defaultAgent, model, mode, title });
    return { detail, fresh: true };
  }
  const id = wish.session === undefined ? await newestOf(client, directory) : await named(client, wish.session);
  const detail = await client.sessions.get(id);
  if (agent !== undefined && agent !== detail.agent) {
    throw usageError(`--agent: session ${id} belongs to ${detail.agent}; leave out --agent, or begin a new session`);
  }
  if (title !== undefined) await client.sessions.update(id, { title });
  return { detail, fresh: false };
}
