import { namedDirectory } from "../directory.ts";

/** The facts in the address of a terminal's WebSocket. */
export interface PtyTarget {
  id: string;
  ticket?: string;
  /** Where the client is in the output; -1 for its end. */
  cursor?: number;
  directory?: string;
}

const CONNECT = /^(?:\/opencode)?(?:\/api)?\/pty\/([^/]+)\/connect$/;

/** As OpenCode does, takes a cursor that is none for no cursor. */
function cursorOf(text: string | null): number | undefined {
  const value = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= -1 ? value : undefined;
}

/** Undefined for any other address. */
export function ptyTarget(url: string, directoryHeader?: string): PtyTarget | undefined {
  const { pathname, searchParams: query } = URL.parse(url, "http://localhost") ?? {};
  const id = CONNECT.exec(pathname ?? "")?.[1];
  if (id === undefined || !query) return undefined;
  return {
    id,
    ticket: query.get("ticket") || undefined,
    cursor: cursorOf(query.get("cursor")),
    directory: namedDirectory({
      query: query.get("directory") ?? query.get("location[directory]") ?? undefined,
      header: directoryHeader,
    }),
  };
}
