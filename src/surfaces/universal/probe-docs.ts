import { METRICS_TYPE } from "../../core/metrics.ts";

/** The group of the probes, which the server itself answers. */
export const PROBES = "Probes";

const STRING = { type: "string" };

interface Probe {
  id: string;
  summary: string;
  content: object;
  /** By status. */
  refusals?: Readonly<Record<number, object>>;
  /** Whether anybody may ask. */
  open: boolean;
}

function json(...fields: string[]): object {
  const properties = Object.fromEntries(fields.map((field) => [field, STRING]));
  return { "application/json": { schema: { type: "object", properties, required: fields } } };
}

function operation({ id, summary, content, refusals, open }: Probe): object {
  const responses = { 200: { description: summary, content }, ...refusals };
  const get = {
    operationId: id,
    summary,
    tags: [PROBES],
    parameters: [],
    responses,
    ...(open ? { security: [] } : {}),
  };
  return { get };
}

/** The probes' part of the document: they are answered before any surface. */
export function probePaths(problem: object): Record<string, object> {
  const probes: Record<string, Probe> = {
    "/health": {
      id: "health",
      summary: "Whether the server runs. No token is needed.",
      content: json("status", "name", "version"),
      open: true,
    },
    "/ready": {
      id: "ready",
      summary: "Whether the log and the disk take writes. No token is needed.",
      content: json("status"),
      refusals: { 503: problem },
      open: true,
    },
    "/metrics": {
      id: "metrics",
      summary: "Counters and gauges in Prometheus' form. On loopback no token is needed.",
      content: { [METRICS_TYPE]: { schema: STRING } },
      refusals: { 401: problem },
      open: false,
    },
  };
  return Object.fromEntries(Object.entries(probes).map(([path, probe]) => [path, operation(probe)]));
}
