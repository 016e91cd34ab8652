import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../src/core/metrics.ts";

test("numbers are rendered in the Prometheus text format", () => {
  const metrics = createMetrics();
  const requests = metrics.counter("requests_total", "Requests.");
  requests.inc({ method: "GET", status: 200 });
  requests.inc({ method: "GET", status: 200 }, 2);
  requests.inc({ method: 'P\\O"S\nT', status: 500 });
  const open = metrics.gauge("open", "Open ones.");
  open.set(3);
  open.add(-1);
  metrics.read("gauge", "answer", "Read when asked.", () => 42);
  const seconds = metrics.histogram("seconds", "Time.", [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value);
  assert.equal(
    metrics.render(),
    [
      "# HELP requests_total Requests.",
      "# TYPE requests_total counter",
      'requests_total{method="GET",status="200"} 3',
      'requests_total{method="P\\\\O\\"S\\nT",status="500"} 1',
      "# HELP open Open ones.",
      "# TYPE open gauge",
      "open 2",
      "# HELP answer Read when asked.",
      "# TYPE answer gauge",
      "answer 42",
      "# HELP seconds Time.",
      "# TYPE seconds histogram",
      'seconds_bucket{le="0.1"} 2',
      'seconds_bucket{le="1"} 3',
      'seconds_bucket{le="+Inf"} 4',
      "seconds_sum 7.65",
      "seconds_count 4",
      "",
    ].join("\n"),
  );
});

test("a name is used once and is a name", () => {
  const metrics = createMetrics();
  metrics.counter("a_total", "A.");
  assert.throws(() => metrics.gauge("a_total", "A."), /registered already/);
  assert.throws(() => metrics.counter("a-b", "A."), /a-b/);
});
