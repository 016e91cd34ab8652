/** The log of a data directory. This module chooses the engine; all others know the contract only. */
export { type OpenSqliteLogOptions as OpenLogOptions, openSqliteLog as openLog } from "./sqlite/open.ts";
