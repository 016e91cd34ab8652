import { TOKEN } from "./node.ts";

/** A block of an event stream that holds an event. */
export interface Told {
  /** The cursor behind it. */
  id: string;
  /** The event's bytes, as text. */
  json: string;
}

function parse(block: string): (Told & { kind: string }) | undefined {
  const fields = new Map(
    block
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).replace(/^ /, "")]),
  );
  const json = fields.get("data");
  return json === undefined ? undefined : { kind: fields.get("event") ?? "", id: fields.get("id") ?? "", json };
}

/**
 * Follows a stream of a node until it breaks or the signal ends it, whichever comes first. Says the status of the answer, 0 where
 * none came.
 */
export async function follow(
  url: string,
  cursor: string,
  signal: AbortSignal,
  take: (told: Told, kind: string) => void,
): Promise<number> {
  let status = 0;
  try {
    const headers = { authorization: `Bearer ${TOKEN}`, "last-event-id": cursor };
    const response = await fetch(url, { headers, signal });
    status = response.status;
    if (status !== 200) {
      await response.text();
      return status;
    }
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const told = parse(block);
        if (told) take(told, told.kind);
      }
    }
  } catch {
    // The node is gone, or the client leaves: it comes back with its cursor.
  }
  return status;
}
