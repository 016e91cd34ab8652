import { isParleyError, ParleyError, wrongNode } from "../../core/errors.ts";
import type { Database } from "../../postgres/database.ts";
import { fenced } from "../holds.ts";
import { notFound } from "../plan-append.ts";
import type { Held } from "./held.ts";
import { toColumn } from "./texts.ts";

interface TakeRow {
  outcome: "taken" | "held" | "none" | "dead";
  sid: number | null;
  epoch: number | null;
  node: string | null;
  address: string | null;
}

/** Takes a session for a node: free, its own, or that of a node that is dead. What is stored of it must be read afterwards. */
export async function takeSession(
  { change }: Pick<Database, "change">,
  session: string,
  node: number,
): Promise<{ sid: number; epoch: number }> {
  const [row] = await twice(() => change<TakeRow>("SELECT * FROM take_v1($1, $2)", [toColumn(session), node]));
  if (!row || row.outcome === "none") throw notFound(session);
  if (row.outcome === "dead") throw fenced(session);
  if (row.outcome === "held") throw wrongNode(session, row.node ?? "", row.address ?? "");
  return { sid: row.sid ?? 0, epoch: row.epoch ?? 0 };
}

/** Gives a session back. Where that fails the node keeps it, and takes it again when it is asked to. */
export async function releaseSession({ change }: Pick<Database, "change">, { sid, epoch }: Held): Promise<void> {
  if (sid !== undefined) await twice(() => change("SELECT release_v1($1, $2)", [sid, epoch]));
}

/** A write that may be made twice: its answer may be lost once. */
async function twice<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (thrown) {
    if (!isParleyError(thrown) || thrown.code !== "outcome_unknown") throw thrown;
  }
  try {
    return await write();
  } catch (thrown) {
    if (!isParleyError(thrown) || thrown.code !== "outcome_unknown") throw thrown;
    throw new ParleyError("unavailable", thrown.message, thrown.details, thrown);
  }
}
