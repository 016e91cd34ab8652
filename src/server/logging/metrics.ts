import { type Counter, type Histogram, type Metrics, SECONDS_BUCKETS } from "../../core/metrics.ts";

export interface ServerSeries {
  requests: Counter;
  seconds: Histogram;
  refused: Counter;
  /** One more or one less request that is being served. */
  inFlight(delta: 1 | -1): void;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A method is the client's word, and each new word would make a series. */
export function methodLabel(method: string | undefined): string {
  return method !== undefined && METHODS.has(method) ? method : "other";
}

export function serverSeries(metrics: Metrics): ServerSeries {
  const inFlight = metrics.gauge("parley_http_requests_in_flight", "Requests being served, streams included.");
  inFlight.set(0);
  return {
    requests: metrics.counter("parley_http_requests_total", "Requests answered, by method and status."),
    seconds: metrics.histogram("parley_http_request_seconds", "Time from a request to its end.", SECONDS_BUCKETS),
    refused: metrics.counter("parley_http_refused_total", "Requests refused at the door, by the guard that did."),
    inFlight: (delta) => inFlight.add(delta),
  };
}

export function processSeries(metrics: Metrics): void {
  const started = Date.now() / 1000 - process.uptime();
  metrics.read("gauge", "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  metrics.read("gauge", "process_start_time_seconds", "When the process began, in Unix time.", () => started);
  metrics.read("counter", "process_cpu_seconds_total", "Processor time used.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}
