// The tests of OpenCode's streams, over a log on PostgreSQL.
import { overPostgres } from "./open.ts";

await overPostgres(() => import("../../surfaces/opencode/streams/streams.test.ts"));
