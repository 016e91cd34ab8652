import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "../../../core/logger.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { PlacedRecord } from "../../../log/contract.ts";
import { tailAll } from "../../../log/tail.ts";
import { eventsFrame, type Frame } from "../../stream/frame.ts";
import type { SseClient } from "../../stream/sse-client.ts";
import type { SseClients } from "../../stream/sse-clients.ts";
import type { Bus } from "../bus.ts";
import type { OpencodeEvent } from "../shapes/event.ts";
import { plainJson } from "./batch.ts";
import { catchUp } from "./catch-up.ts";
import type { Commit, Variant } from "./commit.ts";
import { formatStreamCursor, type StreamCursor, WHOLE } from "./cursor.ts";
import { Projector } from "./projector.ts";
import { recentSessions } from "./recent.ts";
import { type SnapshotScope, stateOfThings } from "./snapshot.ts";

/** Sessions that rest are remembered for clients that come back: so many, out of so many of the log's last records. */
const RESTING = 32;
const RECENT_RECORDS = 5_000;
/** Clients come back within half a minute or so, and turns that follow each other may have ended meanwhile. */
const KEEP = { turns: 8, withinMs: 120_000 };
const NEWEST_ONLY = { turns: 0, withinMs: 0 };
/** A client that missed more than this is faster served with the state of things. */
const REPLAY_LIMIT = 20_000;
/** As OpenCode's own; its web page takes a stream for dead that is silent for longer. */
const HEARTBEAT_MS = 10_000;

/** Native ends the stream of a directory with them; a client of Parley's would come back in vain. */
const ONLY_GLOBAL: ReadonlySet<string> = new Set(["server.instance.disposed", "global.disposed"]);

export interface HubOptions {
  gateway: Gateway;
  clients: SseClients;
  bus: Bus;
  logger: Logger;
  projectOf(directory: string): string;
  /** Learns the projects of directories, where other nodes may have them. */
  know?: ((directories: Iterable<string>) => Promise<void>) | undefined;
  /** Called now and then while a client listens. */
  heard(): void;
}

export interface StreamRequest {
  request: IncomingMessage;
  response: ServerResponse;
  variant: Variant;
  /** The last event that the client has seen, where it says so. */
  cursor: StreamCursor | undefined;
  /** The sessions that a client without a usable cursor is told of first. */
  snapshot: SnapshotScope | "none";
  /** The directory of the terminal interface that asks, undefined for other clients. */
  tui: string | undefined;
}

interface Listener {
  client: SseClient;
  variant: Variant;
  tui: string | undefined;
  /** Whether it is where the live stream is. Until then it is still told of the stored events that it missed. */
  joined: boolean;
}

/** OpenCode's event streams. One reader of the log serves them all; it starts with the first of them. */
export class EventHub {
  private readonly options: HubOptions;
  private readonly listeners = new Set<Listener>();
  private projector: Promise<Projector> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private moved = Promise.withResolvers<void>();

  constructor(options: HubOptions) {
    this.options = options;
    options.bus.listen((directory, event, tui) => this.onBus(directory, event, tui));
  }

  async open(stream: StreamRequest): Promise<void> {
    const { request, response, variant, tui } = stream;
    const projector = await this.started();
    const from = await this.usable(stream.cursor, projector.position);
    while (projector.untold) await projector.untold;
    // It failed meanwhile: its clients were cut, and this one was not among them yet.
    if (projector.closed) return this.open(stream);
    if (response.destroyed || request.socket.destroyed) return;
    const client = this.options.clients.open(request, response);
    const detach = this.options.gateway.attachments.attach(null);
    const listener: Listener = { client, variant, tui, joined: false };
    client.onClose(() => {
      this.listeners.delete(listener);
      detach();
      this.beatWhileHeard();
    });
    // A client that was here before must also learn which turns are over by now.
    const snapshot = stream.cursor && stream.snapshot !== "none" ? "recent" : stream.snapshot;
    const taken = client.write(this.welcome({ ...stream, snapshot }, from === undefined, projector));
    if (client.closed) return;
    const start = from ?? (taken ? undefined : { position: projector.position, index: WHOLE });
    this.listeners.add(listener);
    this.beatWhileHeard();
    const join = (): void => {
      listener.joined = true;
    };
    // A client that has yet to read a long state of things would be cut for the live events that come on top of it.
    if (!start) return join();
    const { gateway, projectOf, know } = this.options;
    const projection = { projectOf, know, resting: RESTING, keep: NEWEST_ONLY };
    const gone = new Promise<void>((resolve) => client.onClose(resolve));
    const moved = (): Promise<void> => Promise.race([this.moved.promise, gone]);
    const live = (): number => projector.position;
    await catchUp({ log: gateway.log, client, variant, from: start, projection, live, moved, join }).catch((error) => {
      this.options.logger.warn({ err: error }, "a stream could not be resumed");
      client.cut("over");
    });
  }

  private started(): Promise<Projector> {
    this.projector ??= this.start().catch((error: unknown) => {
      this.projector = undefined;
      throw error;
    });
    return this.projector;
  }

  private async start(): Promise<Projector> {
    const { gateway, projectOf, know, logger } = this.options;
    const { log } = gateway;
    const position = await log.position();
    const withOlder = (): boolean => [...this.listeners].some(({ variant }) => variant.dialect === "1.1");
    const withNewer = (): boolean => [...this.listeners].some(({ variant }) => variant.newer);
    const emit = (commit: Commit, heavy: boolean) => this.tell(commit, heavy);
    const projector = new Projector(
      { log, projectOf, know, resting: RESTING, keep: KEEP, withOlder, withNewer, emit },
      position,
    );
    const recent = await recentSessions(log, position, { records: RECENT_RECORDS, limit: RESTING });
    for (const [session, seq] of recent) await projector.load(session, seq);
    const failed = (error: unknown): void => {
      logger.error({ err: error }, "OpenCode's events could not be followed; their streams begin anew");
      this.projector = undefined;
      projector.closed = true;
      for (const { client } of [...this.listeners]) client.cut("over");
    };
    const write = (records: readonly PlacedRecord[]): Promise<void> | undefined => {
      const full = projector.takeKnown(records);
      if (full) return full.then(() => this.hasMoved());
      this.hasMoved();
      return undefined;
    };
    tailAll(log, { after: position }, { write, gap: () => undefined, failed });
    return projector;
  }

  private hasMoved(): void {
    this.moved.resolve();
    this.moved = Promise.withResolvers<void>();
  }

  /**
   * A cursor of another log, or one from long ago, is of no use. Positions may skip: their distance is the most that was missed. One from another
   * node may lie before what this one has read.
   */
  private async usable(cursor: StreamCursor | undefined, position: number): Promise<StreamCursor | undefined> {
    const { log } = this.options.gateway;
    if (!cursor || position - cursor.position > REPLAY_LIMIT) return undefined;
    // A client that was there before the first event has lost nothing.
    if (cursor.position > 0 && cursor.position <= ((await log.lostTo?.()) ?? 0)) return undefined;
    if (cursor.position <= position) return cursor;
    return cursor.position <= (await log.position()) ? cursor : undefined;
  }

  private tell(commit: Commit, heavy: boolean): Promise<void> | undefined {
    // One that joins meanwhile has read the commit in the log.
    if (heavy) return tellInTurns(commit, [...this.listeners].filter(isJoined));
    for (const listener of this.listeners) if (isJoined(listener)) tellOne(commit, listener);
    return undefined;
  }

  /**
   * The first events for a client, in one write. The last of them has the cursor from which it can go on: a client that
   * gets only a part of them has no cursor, and gets them again.
   */
  private welcome({ variant, snapshot }: StreamRequest, fresh: boolean, projector: Projector): Frame {
    const { bus, projectOf } = this.options;
    const newId = (): string => bus.newId();
    const connected = { id: newId(), type: "server.connected", properties: {} };
    const data = [plainJson(connected, undefined, variant)];
    const told = fresh && snapshot !== "none" ? stateOfThings(projector, snapshot, { projectOf, newId }) : [];
    for (const { place, event } of told)
      if (variant.directory === null || variant.directory === place.directory)
        data.push(plainJson(event, place, variant));
    const cursor = formatStreamCursor(projector.position, WHOLE);
    return eventsFrame(
      data.map((one, index) => (fresh && index === data.length - 1 ? { id: cursor, data: one } : { data: one })),
    );
  }

  private onBus(directory: string | null, event: OpencodeEvent, forTui: boolean): void {
    const place = directory === null ? undefined : { directory, project: this.options.projectOf(directory) };
    for (const { client, variant, tui } of this.listeners) {
      if (forTui && tui !== directory) continue;
      if (!variant.global && ONLY_GLOBAL.has(event.type)) continue;
      if (variant.directory !== null && directory !== null && variant.directory !== directory) continue;
      client.write(eventsFrame([{ data: plainJson(event, place, variant) }]));
    }
  }

  private beatWhileHeard(): void {
    if (this.listeners.size === 0) {
      clearInterval(this.heartbeat);
      this.heartbeat = undefined;
      return;
    }
    this.heartbeat ??= setInterval(() => this.beat(), HEARTBEAT_MS).unref();
  }

  private beat(): void {
    const event = { id: this.options.bus.newId(), type: "server.heartbeat", properties: {} };
    // The newer half has no such event: its streams are kept alive by comments. A client with something to read needs none.
    for (const { client, variant } of this.listeners)
      if (!variant.newer && client.backlog === 0)
        client.write(eventsFrame([{ data: plainJson(event, undefined, variant) }]));
    this.options.heard();
  }
}

const isJoined = ({ joined }: Listener): boolean => joined;

function tellOne(commit: Commit, { client, variant }: Listener): void {
  const frame = commit.frame(variant);
  if (frame) client.write(frame);
}

async function tellInTurns(commit: Commit, listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) {
    tellOne(commit, listener);
    await nextTurn();
  }
}
