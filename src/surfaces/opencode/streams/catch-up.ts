import type { Log } from "../../../log/contract.ts";
import type { SseClient } from "../../stream/sse-client.ts";
import type { Variant } from "./commit.ts";
import type { StreamCursor } from "./cursor.ts";
import { Projector, type ProjectorOptions } from "./projector.ts";

const PAGE = 256;

export interface CatchUp {
  log: Log;
  client: SseClient;
  variant: Variant;
  from: StreamCursor;
  projection: Pick<ProjectorOptions, "projectOf" | "know" | "resting" | "keep">;
  /** How far the live stream has come. */
  live(): number;
  /** Resolves when it has come further. */
  moved(): Promise<unknown>;
  /** Called in the very moment in which the client is where the live stream is. */
  join(): void;
}

/** Sends the events that a client has missed, then lets it join the live stream. */
export async function catchUp(request: CatchUp): Promise<void> {
  const { log, client, variant, from, projection, live, moved, join } = request;
  const projector = new Projector(
    {
      ...projection,
      log,
      withOlder: () => variant.dialect === "1.1",
      withNewer: () => variant.newer === true,
      emit: (commit) => {
        const frame = commit.after(variant, from);
        if (frame) client.write(frame);
        return undefined;
      },
      ready: () => client.drained(),
    },
    from.position - 1,
  );
  await client.drained();
  // A client that comes from another node may have seen more than this one has read.
  while (!client.closed && live() < from.position) await moved();
  while (!client.closed) {
    const upTo = live();
    const page = await log.readAll({ after: projector.position, limit: PAGE });
    const records = page.filter((record) => record.position <= upTo);
    await projector.takeKnown(records);
    await client.drained();
    const whole = page.length < PAGE || records.length < page.length;
    if (whole) projector.position = Math.max(projector.position, upTo);
    if (client.closed) return;
    if (projector.position >= live()) return join();
  }
}
