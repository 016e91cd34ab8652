import { isAbsolute } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { ParleyApiError, type SessionDetail } from "../../../client/index.ts";
import { isId } from "../../../core/ids.ts";
import { authRequired, invalidParams } from "../errors.ts";
import { assertId } from "../requests.ts";
import { COMPACT } from "../translate/commands.ts";
import { changeFor, configOptions } from "../translate/config-options.ts";
import { commandIn, promptParts, UnreadableBlock } from "../translate/prompt-parts.ts";
import type { AttachedSession } from "./attached.ts";
import { insist } from "./insist.ts";
import type { SentPrompt } from "./prompts.ts";
import type { Sessions } from "./sessions.ts";
import { cancel, cancelOwn, cancelPrompt } from "./take-back.ts";

const PAGE = 100;

export interface ListedSession {
  sessionId: string;
  cwd: string;
  title?: string;
  updatedAt: string;
}

/** A page of sessions, newest first; sub-agents' sessions are not among them. */
export async function listSessions(
  sessions: Sessions,
  { cwd, cursor }: { cwd?: string | null | undefined; cursor?: string | null | undefined },
): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
  if (cwd && !isAbsolute(cwd)) throw invalidParams(`expected cwd as an absolute path, got "${cwd}"`);
  if (cursor && !isId("session", cursor))
    throw invalidParams(`expected nextCursor of the page before, got "${cursor}"`);
  const client = await sessions.client();
  const page = await client.sessions.list({
    limit: PAGE,
    ...(cwd ? { directory: cwd } : {}),
    ...(cursor ? { after: cursor } : {}),
  });
  const listed = page.sessions.map(({ id, directory, title, updated }) => ({
    sessionId: id,
    cwd: directory,
    ...(title === undefined ? {} : { title }),
    updatedAt: new Date(updated).toISOString(),
  }));
  return { sessions: listed, ...(page.next === null ? {} : { nextCursor: page.next }) };
}

/** Stops what the client runs in the session and lets go of it. The session stays. */
export async function closeSession(sessions: Sessions, id: string): Promise<void> {
  const session = await sessions.opened(id);
  await session?.sender.leaving(async () => {
    const ends = session.prompts.ends();
    await cancelOwn(session);
    await ends;
    await sessions.detach(id);
  });
}

/** Deletes a session. One that is gone already is deleted, too. */
export async function deleteSession(sessions: Sessions, id: string): Promise<void> {
  assertId(id);
  const client = await sessions.client();
  const session = await sessions.opened(id);
  const remove = async (): Promise<void> => {
    const ends = session?.prompts.ends();
    try {
      if (session) await cancelOwn(session);
      await client.sessions.delete(id);
    } catch (error) {
      if (!(error instanceof ParleyApiError && error.status === 404)) throw error;
    }
    await ends;
    await sessions.detach(id);
  };
  await (session ? session.sender.leaving(remove) : remove());
}

/** Stops what the client runs in a session. One that it has not opened stays so. */
export async function cancelIn(sessions: Sessions, id: string): Promise<void> {
  assertId(id);
  const session = await sessions.opened(id)?.catch(() => undefined);
  if (session && !session.isOver) return cancel(session);
  const client = await sessions.client();
  await insist(() => client.session(id).cancel({ queue: "keep" }));
}

/** Takes back a prompt of a session, which another object may have since it was given. */
export async function cancelPromptIn(sessions: Sessions, id: string, prompt: string): Promise<void> {
  const session = await sessions.opened(id)?.catch(() => undefined);
  if (session) await cancelPrompt(session, prompt);
}

/** Puts a choice in force. Returns the session with it. */
export async function choose(session: AttachedSession, id: string, value: string | boolean): Promise<SessionDetail> {
  const change = changeFor(session.offer, id, value);
  if (!change) {
    const known = configOptions(session.offer, true).map((option) => option.id);
    throw invalidParams(`session ${session.id} has no option "${id}"; it has: ${known.join(", ") || "none"}`);
  }
  const isChange = Object.keys(change).length > 0;
  return await (isChange ? session.handle.update(change) : session.handle.get());
}

function partsOf(session: AttachedSession, blocks: readonly ContentBlock[]) {
  try {
    const parts = promptParts(session.directory, blocks);
    if (parts.length === 0) throw invalidParams("expected a prompt with something in it, got none");
    return parts;
  } catch (error) {
    throw error instanceof UnreadableBlock ? invalidParams(error.message) : error;
  }
}

/** Gives a prompt. `/compact` is the session's own compaction, where its agent has one. */
export function sendPrompt(session: AttachedSession, blocks: readonly ContentBlock[]): SentPrompt {
  const command = commandIn(blocks);
  const isCompaction = command?.name === COMPACT && command.rest === "" && session.info.capabilities.compact;
  if (isCompaction && blocks.length === 1) return session.sender.send((id) => session.handle.compact({ id }));
  const parts = partsOf(session, blocks);
  return session.sender.send((id) => session.handle.prompt({ id, parts, attended: true }));
}

export type Steered =
  | { outcome: "injected" }
  | { outcome: "startedNewTurn" }
  | { outcome: "promptRequired"; reason: "noRunningTurn" | "unsupported" };

/** Gives words to the running turn. Without one they begin a turn, unless the client wants to do that itself. */
export async function steer(
  session: AttachedSession,
  blocks: readonly ContentBlock[],
  idleBehavior: string | undefined,
): Promise<Steered> {
  const waits = idleBehavior === "promptRequired";
  // The server may know of a turn whose first event is still to come.
  await session.prompts.allSent();
  if (!session.openTurn && session.prompts.all().length === 0) {
    if (waits) return { outcome: "promptRequired", reason: "noRunningTurn" };
    session.sender.assertOpen();
    await sendPrompt(session, blocks).sent;
    return { outcome: "startedNewTurn" };
  }
  const parts = partsOf(session, blocks);
  try {
    const receipt = await session.sender.steer(parts);
    return receipt.status === "steered" ? { outcome: "injected" } : { outcome: "startedNewTurn" };
  } catch (error) {
    if (!(error instanceof ParleyApiError && error.code === "steer_unsupported")) throw error;
    return { outcome: "promptRequired", reason: "unsupported" };
  }
}

export const AUTH_METHOD = {
  id: "agent-login",
  name: "The agent's own login",
  description:
    "Parley uses the keys and logins of the agents themselves: log in with the agent's own program, or set its API key; `parley credentials` shows what is found.",
};

/** Looks whether the agent has credentials by now: nobody can log in through this protocol. */
export async function authenticate(sessions: Sessions, method: string): Promise<void> {
  if (method !== AUTH_METHOD.id) throw invalidParams(`expected the method ${AUTH_METHOD.id}, got "${method}"`);
  const client = await sessions.client();
  const { agent } = sessions.options;
  const info = agent === undefined ? (await client.agents()).find((one) => one.default) : await client.agent(agent);
  if (info?.credentials !== "missing") return;
  throw authRequired(
    `${info.name} has no credentials yet: ${info.login ?? info.detail ?? AUTH_METHOD.description}`,
    info.name,
  );
}
