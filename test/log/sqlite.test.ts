import { logContract } from "./contract/suite.ts";
import { sqlitePlace } from "./sqlite-place.ts";

logContract("SQLite", sqlitePlace);
