/** The time between two looks while somebody listens. */
const LISTENED_MS = 1_000;
/** The same where notifications do not come. */
const UNHINTED_MS = 250;
/** The same while nobody listens: what a dead node left without a position is found then. */
const IDLE_MS = 3_000;
/** The time between two sweeps of what others left behind. */
const SWEEP_MS = 60_000;

export interface TickOptions {
  /** Whether somebody listens. */
  busy(): boolean;
  /** Whether notifications come. */
  hinted(): boolean;
  tick(): Promise<void>;
  sweep(): Promise<void>;
  report(thrown: unknown): void;
}

/** Looks from time to time for what no hint has told. */
export function createTicks({ busy, hinted, tick, sweep, report }: TickOptions) {
  let timer: NodeJS.Timeout | undefined;
  let lastAt = performance.now();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let ticking = false;
  let closed = false;

  const pause = (): number => (!busy() ? IDLE_MS : hinted() ? LISTENED_MS : UNHINTED_MS);

  /** The timer runs at the shortest pace and does nothing most of the time: listeners may come at any moment. */
  function plan(): void {
    if (!closed) timer = setTimeout(run, UNHINTED_MS).unref();
  }

  function run(): void {
    if (performance.now() - lastAt < pause() - UNHINTED_MS / 2) return plan();
    look().finally(plan);
  }

  async function look(): Promise<void> {
    if (ticking || closed) return;
    ticking = true;
    lastAt = performance.now();
    try {
      await tick();
      if (lastAt - sweptAt > SWEEP_MS) {
        sweptAt = lastAt;
        await sweep();
      }
    } catch (thrown) {
      report(thrown);
    } finally {
      ticking = false;
    }
  }

  plan();
  return {
    /** Looks at once: something may have been missed. */
    now(): void {
      look();
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
    },
  };
}
