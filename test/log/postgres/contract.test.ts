import { describe } from "node:test";
import { needsPostgres } from "../../support/postgres.ts";
import { HARD } from "../../support/time.ts";
import { logContract } from "../contract/suite.ts";
import { logProperty } from "../property.ts";
import { postgresPlace } from "./place.ts";

describe("PostgreSQL", needsPostgres, () => {
  logContract("PostgreSQL", postgresPlace);
  logProperty("PostgreSQL", postgresPlace, HARD ? 12 : 5);
});
