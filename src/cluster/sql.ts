import type { Database } from "../postgres/database.ts";

/** The part of the database that the nodes' own tables need. */
export type Sql = Pick<Database, "query" | "change" | "control">;
