/** Runs jobs one after another, in order; the next starts when the last one's promise has settled. */
export class Mailbox<Job> {
  private jobs: Job[] = [];
  private running = false;
  private readonly run: (batch: Job[]) => Promise<void>;
  private readonly together: (job: Job) => boolean;
  private readonly onIdle: () => void;
  private waiting: (() => void)[] = [];

  /** Jobs in a row that may go `together` are handed to `run` as one batch. */
  constructor(together: (job: Job) => boolean, run: (batch: Job[]) => Promise<void>, onIdle: () => void) {
    this.together = together;
    this.run = run;
    this.onIdle = onIdle;
  }

  get length(): number {
    return this.jobs.length;
  }

  get busy(): boolean {
    return this.running || this.jobs.length > 0;
  }

  push(job: Job): void {
    this.jobs.push(job);
    if (this.running) return;
    this.running = true;
    // All lines of one chunk arrive in one tick: starting after it makes them one batch.
    queueMicrotask(() => void this.work());
  }

  /** Takes out the jobs that fit and were not begun. */
  drop(fits: (job: Job) => boolean): Job[] {
    const dropped = this.jobs.filter(fits);
    this.jobs = this.jobs.filter((job) => !fits(job));
    return dropped;
  }

  /** Resolves when nothing is left to do. */
  whenIdle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  private async work(): Promise<void> {
    while (this.jobs.length > 0) await this.run(this.take());
    this.running = false;
    for (const resolve of this.waiting.splice(0)) resolve();
    this.onIdle();
  }

  private take(): Job[] {
    const first = this.jobs[0];
    if (first === undefined) return [];
    const end = this.together(first) ? this.jobs.findIndex((job) => !this.together(job)) : 1;
    return this.jobs.splice(0, end < 0 ? this.jobs.length : end);
  }
}
