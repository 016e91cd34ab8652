import type { TestContext } from "node:test";
import type { OpenOptions } from "../../../../src/agents/contract.ts";
import { Hubs } from "../../../../src/agents/opencode/follow/hubs.ts";
import type { RunningServer } from "../../../../src/agents/opencode/serve/contract.ts";
import { OpenCodeSession } from "../../../../src/agents/opencode/session.ts";
import { type Fields, fieldsIn, isFields } from "../../../../src/core/json/fields.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";
import type { Exit } from "../../../../src/host/contract.ts";
import { eventually } from "../../../support/eventually.ts";
import { DIRECTORY, Otherwise, StandIn } from "../stand-in.ts";

export const ID = "ses_1";

/** A session of the adapter on a stand-in for the program's server. */
export class Stage {
  readonly stand: StandIn;
  /** The one that is leased next. */
  server: RunningServer;
  readonly said: Signal[] = [];
  readonly statuses: Record<string, Fields> = {};
  messages: Fields[] = [];
  permissions: Fields[] = [];
  leases = 0;
  /** Done when the session is asked whether its directory is harmless. */
  assertHarmless: () => Promise<void> = async () => {};
  session!: OpenCodeSession;

  static async open(
    t: TestContext,
    open: Partial<OpenOptions> = {},
    own = true,
    gone: Promise<Exit> = new Promise(() => {}),
  ): Promise<Stage> {
    const stage = new Stage(await StandIn.open(t), own, gone);
    stage.session = stage.start(open);
    t.after(() => stage.session.kill(0));
    await stage.session.ready();
    return stage;
  }

  constructor(stand: StandIn, own: boolean, gone: Promise<Exit>) {
    this.stand = stand;
    this.server = { ...stand.server, own, gone };
    const missing = new Otherwise(404, { name: "NotFoundError" });
    stand
      .on("POST /session", { id: ID })
      .on("GET /session/:", (_: unknown, [id]: string[]) => ({ id }))
      .on("GET /session/status", () => this.statuses)
      .on("GET /session/:/message", () => this.messages)
      .on("GET /session/:/message/:", (_: unknown, [, id]: string[]) => {
        return this.messages.find((one) => fieldsIn(one, "info").id === id) ?? missing;
      })
      .on("GET /session/:/todo", [])
      .on("GET /agent", [{ name: "build", permission: [{ permission: "*", pattern: "*", action: "allow" }] }])
      .on("GET /command", [{ name: "review" }])
      .on("GET /permission", () => this.permissions)
      .on("GET /question", [])
      .on("PATCH /session/:", {})
      .on("POST /session/:/abort", true)
      .on("POST /session/:/prompt_async", new Otherwise(204, ""))
      .on("POST /permission/:/reply", true);
  }

  start(open: Partial<OpenOptions> = {}): OpenCodeSession {
    const lease = async () => {
      this.leases++;
      return { server: this.server, release: () => void this.leases-- };
    };
    const options = {
      servers: { lease, close: async () => {} },
      hubs: new Hubs(),
      gate: undefined,
      assertHarmless: () => this.assertHarmless(),
    };
    const given = { session: "s", directory: DIRECTORY, trusted: false, ...open };
    return new OpenCodeSession(options, { ...given, emit: (signal) => void this.said.push(signal) });
  }

  of<T extends Signal["type"]>(type: T): Extract<Signal, { type: T }>[] {
    return this.said.flatMap((signal) => (signal.type === type ? [signal as Extract<Signal, { type: T }>] : []));
  }

  /** Resolves with the last message that the program was given. */
  async given(count = 1): Promise<string> {
    const route = "POST /session/:/prompt_async";
    await eventually(`${count} prompts`, () => this.stand.of(route).length >= count);
    const body = this.stand.of(route).at(-1)?.body;
    return isFields(body) ? String(body.messageID) : "";
  }

  async ended(count = 1): Promise<Extract<Signal, { type: "turn.finished" }>> {
    await eventually(`${count} turns are over`, () => this.of("turn.finished").length >= count);
    const end = this.of("turn.finished").at(-1);
    if (!end) throw new Error("no end");
    return end;
  }

  busy(): void {
    this.statuses[ID] = { type: "busy" };
    this.stand.send("session.status", { sessionID: ID, status: { type: "busy" } });
  }

  idle(): void {
    delete this.statuses[ID];
    this.stand.send("session.idle", { sessionID: ID });
  }
}

export const words = (text: string): { id: string; parts: { type: "text"; text: string }[] } => ({
  id: "msg_p",
  parts: [{ type: "text", text }],
});
