/** Reads the log of a data directory that no server writes to; apart from `data-log.ts`, because a server needs none of it. */
export { openLogReader } from "./sqlite/reader/reader.ts";
