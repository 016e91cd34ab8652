import assert from "node:assert/strict";
import { STATUS } from "../../src/core/errors.ts";
import { silentLogger } from "../../src/core/logger.ts";
import { createMetrics } from "../../src/core/metrics.ts";
import { PROBLEM_TYPE } from "../../src/core/problem.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { CommandHost } from "../../src/host/contract.ts";
import type { Terminals } from "../../src/host/terminals/contract.ts";
import { SseClients } from "../../src/surfaces/stream/sse-clients.ts";
import { universalRoutes } from "../../src/surfaces/universal/app.ts";
import { openApi } from "../../src/surfaces/universal/openapi.ts";
import { isStream, type Route } from "../../src/surfaces/universal/route.ts";
import { problem } from "../../src/surfaces/universal/schemas.ts";

/** The very descriptions that the server serves by. No handler of them is called here, so that no gateway is needed. */
export const ROUTES: readonly Route[] = universalRoutes({
  gateway: {} as Gateway,
  commands: {} as CommandHost,
  terminals: {} as Terminals,
  clients: new SseClients(createMetrics()),
  version: "test",
  logger: silentLogger,
  defaultDirectory: "/",
  consoleLinks: { make: () => undefined, others: () => [] },
});

interface Operation {
  responses: Record<string, unknown>;
}

const statuses = new Map<Route, readonly string[]>();

/** The statuses that the description of a route lists. One route is described at a time: all of them take longer than most tests. */
function listedFor(route: Route): readonly string[] {
  const known = statuses.get(route);
  if (known) return known;
  const { paths } = openApi([route], "test") as { paths: Record<string, Record<string, Operation>> };
  const listed = Object.keys(paths[route.path]?.[route.method]?.responses ?? {});
  statuses.set(route, listed);
  return listed;
}

export interface Received {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

function routeOf(method: string, path: string): Route | undefined {
  const [plain = ""] = path.split("?", 1);
  return ROUTES.find((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return route.method === method.toLowerCase() && pattern.test(plain);
  });
}

/** Every answer that a test gets is what the API's own description says: its status is listed, its body fits. */
export function assertAsDescribed(received: Received): void {
  const { method, path, status, headers, body } = received;
  const where = `${method} ${path} -> ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  const route = routeOf(method, path);
  if (status >= 400) assertProblem(received);
  if (!route) return;
  const listed = listedFor(route);
  assert.ok(listed.includes(String(status)), `${where}: OpenAPI lists ${listed.join(", ")}`);
  if (status >= 400 || isStream(route.answer)) return;
  if (status === 204) return assert.equal(body, undefined, where);
  assert.equal(headers.get("content-type"), "application/json", where);
  const schema = status === route.status ? route.answer : route.also?.[status];
  const parsed = schema?.safeParse(body);
  assert.ok(parsed?.success, `${where}: ${parsed?.error?.message}`);
}

/** RFC 9457, with our stable code, its status, and the request's id. */
function assertProblem({ method, path, status, headers, body }: Received): void {
  const where = `${method} ${path} -> ${status}`;
  const parsed = problem.safeParse(body);
  assert.ok(parsed.success, `${where}: ${JSON.stringify(body)}`);
  assert.equal(headers.get("content-type"), PROBLEM_TYPE, where);
  const { type, code, detail, title, instance } = parsed.data;
  assert.equal(parsed.data.status, status, where);
  assert.equal(type, `urn:parley:error:${code}`, where);
  assert.equal(STATUS[code as keyof typeof STATUS], status, `${where}: ${code}`);
  assert.ok(title.length > 0 && detail.length > 10, `${where}: ${detail}`);
  assert.equal(instance, headers.get("x-request-id"), where);
}
