import type { Membership } from "../../cluster/membership.ts";
import type { Metrics } from "../../core/metrics.ts";
import type { PostgresLog } from "../../log/postgres/log.ts";

/** The numbers of a node among others. */
export function clusterSeries(metrics: Metrics, membership: Membership, log: PostgresLog) {
  metrics.read("gauge", "parley_nodes", "Nodes that are not dead.", () => membership.all().length);
  metrics.read("gauge", "parley_lease_valid", "1 while this node's lease runs.", () => (membership.fault() ? 0 : 1));
  metrics.read(
    "gauge",
    "parley_hint_lag_seconds",
    "From a commit of another node to its hint here, lately.",
    () => log.stats().hintLagMs / 1000,
  );
  metrics.read(
    "gauge",
    "parley_order_lag_seconds",
    "From a commit to its position, lately.",
    () => log.stats().orderLagMs / 1000,
  );
  metrics.read(
    "counter",
    "parley_fenced_total",
    "Writes that were refused because another node has the session.",
    () => log.stats().fenced,
  );
  metrics.read(
    "counter",
    "parley_database_statements_total",
    "Statements that were sent to the database.",
    () => log.stats().statements,
  );
  return {
    takenOver: metrics.counter("parley_takeovers_total", "Sessions of dead nodes that this one looked after."),
    fenced: metrics.counter("parley_buried_total", "Times that this node was declared dead and came back."),
  };
}
