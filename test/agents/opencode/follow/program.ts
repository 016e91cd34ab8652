import type { ChildRef } from "../../../../src/agents/contract.ts";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";
import { Follower } from "../../../../src/agents/opencode/follow/follower.ts";
import { type Hub, Hubs } from "../../../../src/agents/opencode/follow/hubs.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Cleanup } from "../../../support/server.ts";
import { DIRECTORY, Otherwise, StandIn } from "../stand-in.ts";

export const ROOT = "ses_root";

/** A message of the agent, as the program keeps it. */
export function reply(id: string, parentID: string, text: string, more: Fields = {}): Fields {
  const over = { time: { created: 1, completed: 2 }, finish: "stop", ...more };
  const parts = [
    { id: `prt_${id}`, messageID: id, sessionID: ROOT, type: "text", text, time: { start: 1, end: 2 } },
    { id: `prt_${id}_end`, messageID: id, sessionID: ROOT, type: "step-finish" },
  ];
  return { info: { id, role: "assistant", sessionID: ROOT, parentID, ...over }, parts: text === "" ? [] : parts };
}

/** The user's message, as the program keeps it. */
export function asked(id: string, more: Fields = {}): Fields {
  const model = { providerID: "fake", modelID: "m" };
  return {
    info: { id, role: "user", sessionID: ROOT, agent: "build", model, time: { created: 1 }, ...more },
    parts: [],
  };
}

/** The program's state behind the stand-in, and a follower of one of its sessions. */
export class Program {
  readonly stand: StandIn;
  readonly statuses: Record<string, Fields> = {};
  readonly messages: Record<string, Fields[]> = { [ROOT]: [] };
  readonly sessions: Record<string, Fields> = { [ROOT]: { id: ROOT } };
  permissions: Fields[] = [];
  questions: Fields[] = [];
  readonly said: { signal: Signal; child?: ChildRef }[] = [];
  readonly hubs = new Hubs();
  readonly hub: Hub;
  readonly translator = new Translator({ root: ROOT, directory: DIRECTORY });
  readonly follower: Follower;
  unreachable = 0;
  stops = 0;
  /** Done when the follower asks the program to stop. */
  onStop: () => void = () => {};

  static async open(t: Cleanup, isNew = false): Promise<Program> {
    const program = new Program(await StandIn.open(t), isNew);
    t.after(async () => program.follower.close());
    return program;
  }

  private constructor(stand: StandIn, isNew: boolean) {
    this.stand = stand;
    const missing = new Otherwise(404, { name: "NotFoundError", data: { message: "not there" } });
    const idOf = (message: Fields): unknown => (message.info as Fields).id;
    stand
      .on("GET /session/status", () => this.statuses)
      .on("GET /session/:/message", (_: unknown, [id = ""]: string[]) => this.messages[id] ?? [])
      .on("GET /session/:/message/:", (_: unknown, [id = "", message = ""]: string[]) => {
        return this.messages[id]?.find((one) => idOf(one) === message) ?? missing;
      })
      .on("GET /session/:/todo", [])
      .on("GET /session/ses_[^/]+", ({ path }: { path: string }) => this.sessions[path.slice(9)] ?? missing)
      .on("GET /permission", () => this.permissions)
      .on("GET /question", () => this.questions);
    this.hub = this.hubs.of(stand.server, DIRECTORY);
    this.follower = new Follower({
      hub: this.hub,
      translator: this.translator,
      session: ROOT,
      isNew,
      say: (said) => void this.said.push(...said),
      stop: async () => {
        this.stops++;
        this.onStop();
      },
      onUnreachable: () => void this.unreachable++,
    });
  }

  /** Resolves when the follower hears events. */
  async heard(): Promise<void> {
    await eventually("the follower listens", () => this.stand.streams.size > 0);
  }

  types(): string[] {
    return this.said.map(({ signal }) => signal.type);
  }

  of<T extends Signal["type"]>(type: T): Extract<Signal, { type: T }>[] {
    return this.said.flatMap(({ signal }) => (signal.type === type ? [signal as Extract<Signal, { type: T }>] : []));
  }

  async ended(): Promise<Extract<Signal, { type: "turn.finished" }>> {
    await eventually("the turn is over", () => this.of("turn.finished").length > 0);
    const [end] = this.of("turn.finished");
    if (!end) throw new Error("no end");
    return end;
  }

  busy(session = ROOT): void {
    this.statuses[session] = { type: "busy" };
    this.stand.send("session.status", { sessionID: session, status: { type: "busy" } });
  }

  /** The session works no more; the events of it may be lost. */
  idle(session = ROOT, isTold = true): void {
    delete this.statuses[session];
    if (isTold) this.stand.send("session.idle", { sessionID: session });
  }
}
