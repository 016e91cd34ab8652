export interface MailboxOptions<Job> {
  /** Jobs in a row that may go together are handed to `run` as one batch. */
  together(job: Job): boolean;
  weigh(job: Job): number;
  /** A batch that weighs so much is not given more. */
  limit: number;
  run(batch: Job[]): Promise<void>;
  onIdle(): void;
}

interface Waiting<Job> {
  job: Job;
  weight: number;
}

/** Runs jobs one after another, in order; the next starts when the last one's promise has settled. */
export class Mailbox<Job> {
  private readonly options: MailboxOptions<Job>;
  private jobs: Waiting<Job>[] = [];
  private sum = 0;
  private running = false;
  private waiting: (() => void)[] = [];

  constructor(options: MailboxOptions<Job>) {
    this.options = options;
  }

  /** Of all that waits. */
  get weight(): number {
    return this.sum;
  }

  get length(): number {
    return this.jobs.length;
  }

  get busy(): boolean {
    return this.running || this.jobs.length > 0;
  }

  push(job: Job): void {
    const weight = this.options.weigh(job);
    this.jobs.push({ job, weight });
    this.sum += weight;
    if (this.running) return;
    this.running = true;
    // All lines of one chunk arrive in one tick: starting after it makes them one batch.
    queueMicrotask(() => void this.work());
  }

  /** Takes out the jobs that fit and were not begun. */
  drop(fits: (job: Job) => boolean): Job[] {
    const dropped = this.jobs.filter(({ job }) => fits(job));
    this.jobs = this.jobs.filter(({ job }) => !fits(job));
    for (const { weight } of dropped) this.sum -= weight;
    return dropped.map(({ job }) => job);
  }

  /** Resolves when nothing is left to do. */
  whenIdle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  private async work(): Promise<void> {
    while (this.jobs.length > 0) await this.options.run(this.take());
    this.running = false;
    for (const resolve of this.waiting.splice(0)) resolve();
    this.options.onIdle();
  }

  private take(): Job[] {
    const { together, limit } = this.options;
    let count = 0;
    let weight = 0;
    for (const next of this.jobs) {
      if (count > 0 && (weight >= limit || !together(next.job))) break;
      count += 1;
      weight += next.weight;
      if (!together(next.job)) break;
    }
    this.sum -= weight;
    return this.jobs.splice(0, count).map(({ job }) => job);
  }
}
