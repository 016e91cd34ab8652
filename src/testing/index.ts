/** For the tests of programs that build on Parley. */

export { type Checked, checkLaws, type Violation } from "../core/ledger/laws.ts";
export type { EventRecord, Hold, Log, PlacedRecord } from "../log/contract.ts";
export { createMemoryLog, type MemoryLogOptions } from "../log/memory/log.ts";
export { type ScriptedFetch, scriptedFetch } from "./model/fetch.ts";
export type { RecordedRequest } from "./model/recorder.ts";
export type { Script, Step, Tool, Trouble } from "./model/script.ts";
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./model/server.ts";
