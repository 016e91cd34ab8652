import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import type { Rpc } from "../rpc.ts";

/** The program writes a name so that every model takes it, and adds a mark where two names would be the same then. It may leave out some of several bars. */
function spelled(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, "_");
}

const MARK = /^_?[0-9a-f]{12}$/;

function isSpelled(told: string, name: string): boolean {
  const [whole, start] = [spelled(told), spelled(name)];
  return whole.startsWith(start) && (whole === start || MARK.test(whole.slice(start.length)));
}

/** The program's servers with their tools, as a thread has them. */
export async function listServers(rpc: Rpc, thread: string): Promise<Fields> {
  const params = { threadId: thread, detail: "toolsAndAuthOnly", limit: 1_000 };
  return (await rpc.ask("mcpServerStatus/list", params)).result ?? {};
}

/**
 * The tools of servers (as they were listed) that a call may mean, by the names that people know them by. Usually it is one. The
 * name is as it was told where no tool fits.
 */
export function serverTools(told: string, listed: Fields): [string, ...string[]] {
  const names = listIn(listed, "data").flatMap((server) =>
    Object.keys(fieldsIn(server, "tools")).map((tool) => `mcp__${textIn(server, "name") ?? ""}__${tool}`),
  );
  const [first, ...others] = names.filter((name) => isSpelled(told, name));
  return first === undefined ? [told] : [first, ...others];
}
