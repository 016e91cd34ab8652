import type { ParleyEvent } from "../../src/core/events/event.ts";
import { readEvents } from "../../src/gateway/read-events.ts";
import type { Log } from "../../src/log/contract.ts";

/** The first event of a session that fits, stored already or still to come. */
export async function whenStored(
  log: Log,
  session: string,
  fits: (event: ParleyEvent) => boolean,
): Promise<ParleyEvent> {
  const heard = new Promise<ParleyEvent>((resolve) => {
    const stop = log.listen(session, (_, live) => {
      const found = live.find(fits);
      if (!found) return;
      stop();
      resolve(found);
    });
  });
  return (await readEvents(log, session, 0)).find(fits) ?? heard;
}
