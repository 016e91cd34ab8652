export type Labels = Readonly<Record<string, string | number>>;

export interface Counter {
  inc(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  add(delta: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** Holds the numbers of one process. Label values must come from a small, fixed set: each makes a series. */
export interface Metrics {
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** A number that is read when somebody asks for it. */
  read(kind: "counter" | "gauge", name: string, help: string, value: () => number): void;
  /** Everything in the Prometheus text format. */
  render(): string;
}

/** The media type of `render()`. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Seconds, from a quick append to a slow request. */
export const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function labelText(labels: Labels | undefined): string {
  if (!labels) return "";
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, (char) => ESCAPES[char] ?? char)}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function histogramOf(name: string, bounds: readonly number[]): Histogram & { lines(): string[] } {
  const counts = bounds.map(() => 0);
  let sum = 0;
  let total = 0;
  return {
    observe(value) {
      sum += value;
      total++;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    },
    lines() {
      let below = 0;
      const lines = bounds.map((bound, at) => {
        below += counts[at] ?? 0;
        return `${name}_bucket{le="${bound}"} ${below}`;
      });
      return [...lines, `${name}_bucket{le="+Inf"} ${total}`, `${name}_sum ${sum}`, `${name}_count ${total}`];
    },
  };
}

export function createMetrics(): Metrics {
  const families = new Map<string, () => string[]>();

  function register(kind: string, name: string, help: string, lines: () => string[]): void {
    if (!NAME.test(name)) throw new Error(`expected a metric name of letters, digits and _, got ${name}`);
    if (families.has(name)) throw new Error(`the metric ${name} is registered already: share its handle instead`);
    families.set(name, () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines()]);
  }

  function series(kind: string, name: string, help: string): Map<string, number> {
    const values = new Map<string, number>();
    register(kind, name, help, () => [...values].map(([labels, value]) => `${name}${labels} ${value}`));
    return values;
  }

  return {
    counter(name, help) {
      const values = series("counter", name, help);
      return {
        inc(labels, by = 1) {
          const key = labelText(labels);
          values.set(key, (values.get(key) ?? 0) + by);
        },
      };
    },
    gauge(name, help) {
      const values = series("gauge", name, help);
      return {
        set(value, labels) {
          values.set(labelText(labels), value);
        },
        add(delta, labels) {
          const key = labelText(labels);
          values.set(key, (values.get(key) ?? 0) + delta);
        },
      };
    },
    histogram(name, help, buckets) {
      const histogram = histogramOf(name, buckets);
      register("histogram", name, help, histogram.lines);
      return histogram;
    },
    read(kind, name, help, value) {
      register(kind, name, help, () => [`${name} ${value()}`]);
    },
    render() {
      return `${[...families.values()].flatMap((lines) => lines()).join("\n")}\n`;
    },
  };
}
