/** Parley as a library: a server inside another program. The client is `parley-agents/client`, helpers for tests `parley-agents/testing`. */
export { ParleyError } from "./core/errors.ts";
export type { ParleyEvent, UnknownEvent } from "./core/events/event.ts";
export { parseEvent } from "./core/events/event.ts";
export { eventJsonSchema } from "./core/events/json-schema.ts";
export { SCHEMA_VERSION } from "./core/events/version.ts";
export type { Logger } from "./core/logger.ts";
export { silentLogger } from "./core/logger.ts";
export type { SessionState } from "./core/session-state.ts";
export { type EmbedOptions, type Parley, startParley } from "./embed.ts";
export type { Gateway } from "./gateway/gateway.ts";
export { AlreadyRunning } from "./server/parley.ts";
