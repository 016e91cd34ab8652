import type { Gateway } from "../../../gateway/gateway.ts";
import type { PendingAsk } from "../../../gateway/requests.ts";
import { History } from "../messages/history.ts";
import { nextPermission } from "./next/message.ts";

export interface Asked {
  id: string;
  kind: PendingAsk["kind"];
  info: object;
}

/** Asks as the newer half of the API gives them: with the call that each is about, which its turn has. */
async function infosOf(gateway: Gateway, asks: readonly PendingAsk[], directory?: string): Promise<Asked[]> {
  const history = new History(gateway.log);
  const infos = new Map<string, object>();
  for (const session of new Set(asks.map((ask) => ask.session))) {
    const head = await gateway.log.head(session);
    if (!head || (directory !== undefined && head.state.directory !== directory)) continue;
    const { permissions, questions } = await history.asks(head);
    for (const request of permissions) infos.set(request.id, nextPermission(request));
    for (const request of questions) infos.set(request.id, request);
  }
  return asks.flatMap(({ id, kind }) => {
    const info = infos.get(id);
    return info ? [{ id, kind, info }] : [];
  });
}

/** The open asks of a session and its sub-agents. */
export async function asksOfSession(gateway: Gateway, session: string): Promise<Asked[]> {
  return infosOf(gateway, await gateway.asks(session));
}

/** The open asks of all sessions of a directory. */
export async function asksIn(gateway: Gateway, directory: string): Promise<Asked[]> {
  return infosOf(gateway, await gateway.asks(), directory);
}
