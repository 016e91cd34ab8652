import { memoryPlace } from "./memory-place.ts";
import { logProperty } from "./property.ts";
import { sqlitePlace } from "./sqlite-place.ts";

logProperty("SQLite", sqlitePlace, 60);
logProperty("memory", memoryPlace, 60);
