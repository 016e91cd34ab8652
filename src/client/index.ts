export type { EventOf, ParleyEvent, UnknownEvent } from "../core/events/event.ts";
export type { Item } from "../core/events/items.ts";
export type { EndReason, Failure, FileChange, PlanEntry, PromptPart, Usage } from "../core/events/values.ts";
export type { Outcome, Receipt } from "../core/receipt.ts";
export type { CostSource, LabelledRow, UsageAnswer, UsageQuery, UsageSum } from "../core/spending/report.ts";
export type { TrustedDirectory, TrustInfo } from "../core/trust.ts";
export { type ClientOptions, createClient, type FileQuery, type ParleyClient } from "./client.ts";
export type { EventStream } from "./closable.ts";
export { ParleyApiError, ParleyConnectionError, ParleyProtocolError } from "./errors.ts";
export type { AllEventsOptions, EventsOptions } from "./event-stream.ts";
export type { ConnectionState } from "./follow.ts";
export type { Backoff } from "./retry.ts";
export type { SearchHit, SearchOptions, SearchResult } from "./search-types.ts";
export type { PromptOptions, SessionHandle } from "./session.ts";
export type { EventPage, EventPageBack, Gap, GapEvent, StreamEvent } from "./stream-types.ts";
export type { NewTerminal, Terminal, TerminalChange, TerminalFrame } from "./terminal-types.ts";
export type { TerminalRef } from "./terminals.ts";
export type { RunOptions, TurnRun } from "./turn-run.ts";
export type {
  AgentInfo,
  Answered,
  Ask,
  AskAnswer,
  AskingSession,
  Cancelled,
  CommandInput,
  ConsoleLink,
  FileDiff,
  FileName,
  Health,
  ListedAsk,
  McpServer,
  ModelInfo,
  ModelPrice,
  NativeSession,
  NewSession,
  ParleyNode,
  PromptInput,
  Session,
  SessionChange,
  SessionDetail,
  SessionList,
  SessionListQuery,
  SlashCommand,
  UsedDirectory,
} from "./types.ts";
