import { findSession, withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { eventLine } from "../output/event-line.ts";
import { print } from "../output/print.ts";

export interface EventFlags extends CommonFlags {
  after: number;
  follow?: boolean;
  native?: boolean;
}

export async function printEvents(given: string, flags: EventFlags): Promise<void> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  const readable = process.stdout.isTTY === true && !flags.json;
  await withStore(settings, async (store) => {
    const id = await findSession(store, given);
    const { after, follow = false, native = false } = flags;
    for await (const event of store.events(id, { after, follow, native })) {
      const line = readable ? eventLine(event) : `${JSON.stringify(event)}\n`;
      await print(line);
    }
    if (follow && !store.client) process.stderr.write("parley: no server runs here, so nothing more can come\n");
  });
}
