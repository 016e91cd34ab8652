import { describe } from "node:test";
import { needsPostgres } from "../support/postgres.ts";
import { logContract } from "./contract/suite.ts";
import { postgresPlace } from "./postgres-place.ts";

describe("PostgreSQL", needsPostgres, () => logContract("PostgreSQL", postgresPlace));
