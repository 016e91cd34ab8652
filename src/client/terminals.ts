import { checkOptions, type OptionNames } from "./check-options.ts";
import type { NewTerminal, Terminal, TerminalChange } from "./terminal-types.ts";
import type { Transport } from "./transport.ts";

/** A terminal, or its id. Where nodes of several places share a database, its place is needed, too. */
export type TerminalRef = string | Pick<Terminal, "id" | "place">;

export interface TerminalListQuery {
  directory?: string;
  place?: string;
}

const LIST_OPTIONS: OptionNames<TerminalListQuery> = { directory: true, place: true };

const PATH = ["v1", "terminals"];

/** The terminals of a server. */
export function terminalsOf(transport: Transport) {
  const at = (terminal: TerminalRef, ...rest: string[]) => {
    const { id, place } = typeof terminal === "string" ? { id: terminal } : terminal;
    return { path: [...PATH, id, ...rest], query: { place } };
  };
  return {
    /** Opens one, with a shell in it unless another program is named. */
    create: (request: NewTerminal = {}): Promise<Terminal> =>
      transport.json({ method: "POST", path: PATH, body: request }),
    /** Those that run, and those that exited of late: of one directory, or all. */
    list: async (query: TerminalListQuery = {}): Promise<Terminal[]> => {
      checkOptions("terminals.list", query, LIST_OPTIONS);
      const asked = { method: "GET", path: PATH, query: { ...query }, repeatable: true } as const;
      return (await transport.json<{ terminals: Terminal[] }>(asked)).terminals;
    },
    get: (terminal: TerminalRef): Promise<Terminal> =>
      transport.json({ method: "GET", ...at(terminal), repeatable: true }),
    /** Renames it, or gives it another size. */
    update: (terminal: TerminalRef, change: TerminalChange): Promise<Terminal> =>
      transport.json({ method: "PATCH", ...at(terminal), body: change }),
    /** Ends all that runs in it. Resolves when that is gone. */
    remove: (terminal: TerminalRef): Promise<void> => transport.json({ method: "DELETE", ...at(terminal) }),
    /**
     * The address of its WebSocket, with the client's token where it has one: show it to nobody. Text frames are output, from
     * the offset `after` on; binary ones are a `TerminalFrame` as JSON. Frames to it are input.
     */
    socketUrl(terminal: TerminalRef, options: { after?: number } = {}): string {
      checkOptions("terminals.socketUrl", options, { after: true });
      const { path, query } = at(terminal, "socket");
      return transport.socketUrl(path, { ...query, ...options });
    },
  };
}
