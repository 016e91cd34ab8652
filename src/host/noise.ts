export interface Noise {
  reason: string;
  /** A sample of the lines, where there is something to show. */
  text?: string;
  bytes: number;
}

export interface NoiseReport {
  /** `mixed` when the lines were unreadable for different reasons. */
  reason: string;
  sample?: string;
  count: number;
  bytes: number;
}

const SINGLE_REPORTS = 5;
const SAMPLE_CHARS = 200;

/** A copy: a slice would keep the whole line in memory. */
function sampleOf(text: string): string {
  return Buffer.from(text.slice(0, SAMPLE_CHARS)).toString();
}

/**
 * Reports the first lines singly and then each time their number has doubled: 10,000 lines make 17 reports with the
 * last flush, and the counts add up to what came.
 */
export function createNoiseMeter() {
  let total = 0;
  let next = 1;
  let pending: NoiseReport | undefined;

  /** The lines that were counted and not yet reported. */
  const flush = (): NoiseReport | undefined => {
    const report = pending;
    pending = undefined;
    return report;
  };

  return {
    /** Counts a line; gives a report when it is time for one. */
    add({ reason, text, bytes }: Noise): NoiseReport | undefined {
      total += 1;
      if (!pending) {
        pending = { reason, count: 1, bytes };
        if (text !== undefined) pending.sample = sampleOf(text);
      } else {
        if (pending.reason !== reason) pending.reason = "mixed";
        pending.count += 1;
        pending.bytes += bytes;
      }
      if (total < next) return undefined;
      next = total < SINGLE_REPORTS ? total + 1 : total * 2;
      return flush();
    },
    flush,
  };
}
