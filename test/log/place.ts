import type { Log } from "../../src/log/contract.ts";

/** A log in a place of its own that can be closed and opened again. */
export interface LogPlace {
  open(options?: { keepNative?: boolean }): Promise<Log>;
  /** Where its index for searches ends: a position; undefined for a log that needs none. */
  indexedTo(): Promise<number | undefined>;
  destroy(): Promise<void>;
}

export type MakePlace = () => Promise<LogPlace>;

export async function inPlace(makePlace: MakePlace, run: (place: LogPlace) => Promise<void>): Promise<void> {
  const place = await makePlace();
  try {
    await run(place);
  } finally {
    await place.destroy();
  }
}

export async function withLog(
  makePlace: MakePlace,
  run: (log: Log) => Promise<void>,
  options?: { keepNative?: boolean },
): Promise<void> {
  await inPlace(makePlace, async (place) => {
    const log = await place.open(options);
    try {
      await run(log);
    } finally {
      await log.close();
    }
  });
}
