import type { Gateway } from "../../../gateway/gateway.ts";
import type { PendingAsk } from "../../../gateway/requests.ts";
import { permissionRequest, questionRequest } from "../projection/ask-shapes.ts";

/** A permission that is asked for, as the newer half of the API gives it. */
function permissionInfo2(ask: PendingAsk & { kind: "permission" }, directory: string): object {
  const { id, sessionID, permission, patterns, always, metadata } = permissionRequest(ask.request, {
    sessionID: ask.session,
    directory,
  });
  return { id, sessionID, action: permission, resources: patterns, save: always, metadata };
}

export interface Asked {
  id: string;
  kind: PendingAsk["kind"];
  info: object;
}

async function infosOf(gateway: Gateway, asks: readonly PendingAsk[], directory?: string): Promise<Asked[]> {
  const infos: Asked[] = [];
  for (const ask of asks) {
    const { directory: where } = await gateway.get(ask.session);
    if (directory !== undefined && where !== directory) continue;
    const info =
      ask.kind === "permission"
        ? permissionInfo2(ask, where)
        : questionRequest(ask.request, { sessionID: ask.session, directory: where });
    infos.push({ id: ask.id, kind: ask.kind, info });
  }
  return infos;
}

/** The open asks of a session and its sub-agents. */
export async function asksOfSession(gateway: Gateway, session: string): Promise<Asked[]> {
  return infosOf(gateway, await gateway.asks(session));
}

/** The open asks of all sessions of a directory. */
export async function asksIn(gateway: Gateway, directory: string): Promise<Asked[]> {
  return infosOf(gateway, await gateway.asks(), directory);
}
