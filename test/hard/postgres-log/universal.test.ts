// The tests of events and streams, over a log on PostgreSQL.
import { overPostgres } from "./open.ts";

await overPostgres(async () => {
  await import("../../surfaces/universal/stream.test.ts");
  await import("../../surfaces/universal/events.test.ts");
  await import("../../surfaces/universal/resume.test.ts");
});
