// Turns of all kinds, repeats and agents that misbehave, over a log on PostgreSQL.
import { overPostgres } from "./open.ts";

await overPostgres(async () => {
  await import("../../scenarios/idempotency.test.ts");
  await import("../../scenarios/agent-output.test.ts");
  await import("../../scenarios/turn-mix.test.ts");
});
