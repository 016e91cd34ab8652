import { isParleyError } from "../../../core/errors.ts";
import type { SessionHead } from "../../../log/contract.ts";
import type { Surface } from "../context.ts";
import { notFound } from "../errors.ts";

/** A session by its id; the directory of the request does not matter. */
export async function sessionHead({ gateway, elsewhere }: Surface, id: string): Promise<SessionHead> {
  try {
    const head = await gateway.head(id);
    await elsewhere?.know([head.state.directory]);
    return head;
  } catch (error) {
    if (isParleyError(error) && error.code === "session_not_found") throw notFound(`Session not found: ${id}`);
    throw error;
  }
}
