import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { TurnStatus } from "../../../core/events/values.ts";
import { type Fields, present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { chosenIn, filledIn } from "../asks/answers.ts";
import { afterResponses } from "../session/after-responses.ts";
import type { AttachedSession } from "../session/attached.ts";
import type { FormView, Front, PermissionView, SendNow } from "../session/front.ts";
import { shownCommands } from "../translate/commands.ts";
import { configOptions, currentMode, type Offer } from "../translate/config-options.ts";
import type { Update } from "../translate/updates.ts";
import { callFields, commandShapes } from "./shapes.ts";
import { type Shows, v1Updates } from "./updates.ts";

/** Shows sessions to a client of version 1. */
export class V1Front implements Front {
  readonly #logger: Logger;
  readonly #sendNow: SendNow | undefined;
  #client: AgentContext | undefined;
  #capabilities: ClientCapabilities = {};
  readonly #told = new WeakMap<AttachedSession, { config: string; mode: string | undefined }>();
  form?: Front["form"];

  constructor(logger: Logger, sendNow?: SendNow) {
    this.#logger = logger;
    this.#sendNow = sendNow;
  }

  begin(client: AgentContext, capabilities: ClientCapabilities): void {
    this.#client = client;
    this.#capabilities = capabilities;
    if (capabilities.elicitation?.form) this.form = (session, view, signal) => this.#form(session, view, signal);
  }

  get takesBooleans(): boolean {
    return Boolean(this.#capabilities.session?.configOptions?.boolean);
  }

  async notify(session: string, update: SessionUpdate): Promise<void> {
    await this.#client?.notify(methods.client.session.update, { sessionId: session, update });
  }

  /** Remembers the choices that a response told. */
  toldChoice(session: AttachedSession, offer: Offer): void {
    const config = JSON.stringify(configOptions(offer, this.takesBooleans));
    this.#told.set(session, { config, mode: currentMode(offer) });
  }

  /** Tells what follows the response that opened a session: its commands, a turn that runs, and the asks that are open. */
  welcome(session: AttachedSession): void {
    const availableCommands = commandShapes(shownCommands(session.info));
    const running = session.openTurn;
    void afterResponses()
      .then(() => this.notify(session.id, { sessionUpdate: "available_commands_update", availableCommands }))
      .then(() => running && this.#busy(session, running.status))
      .then(() => session.greet())
      .catch((error: unknown) => this.#logger.debug({ err: error, session: session.id }, "a client was not welcomed"));
  }

  async #busy(session: AttachedSession, status: TurnStatus): Promise<void> {
    await this.update(session, { type: "notice", level: "info", title: "The agent is busy: a turn runs here" }, false);
    await this.update(session, { type: "status", status }, false);
  }

  async update(session: AttachedSession, update: Update, own: boolean): Promise<void> {
    if (update.type === "choice") return await this.#choice(session);
    if (update.type === "text" && update.role === "user" && own) return;
    if (update.type === "waits" && !own) return;
    const told = v1Updates(update, this.#shows, Date.now());
    if (told.length === 0) this.#log(session, update);
    for (const one of told) await this.notify(session.id, one);
  }

  /** A warning that the client cannot show is logged: editors keep what an agent logs. */
  #log({ id: session }: AttachedSession, update: Update): void {
    if (update.type === "notice" && update.level !== "info")
      this.#logger.warn(present({ session, description: update.description }), update.title);
    if (update.type !== "status" || update.status.status !== "retrying") return;
    const { attempt, message } = update.status;
    this.#logger.warn({ session, attempt }, `retrying: ${message}`);
  }

  piece({ id }: AttachedSession, update: Update): boolean {
    if (!this.#sendNow || update.type !== "text" || update.role === "user") return false;
    const updates = v1Updates(update, this.#shows, 0);
    const one = updates[0];
    if (!one || updates.length > 1) return false;
    const params = { sessionId: id, update: one };
    return this.#sendNow({ jsonrpc: "2.0", method: methods.client.session.update, params });
  }

  get #shows(): Shows {
    const { notices, compaction } = this.#capabilities.session ?? {};
    return { notices: Boolean(notices), compaction: Boolean(compaction) };
  }

  async permission(session: AttachedSession, view: PermissionView, signal: AbortSignal): Promise<string | undefined> {
    const request = { sessionId: session.id, toolCall: callFields(view.id, view.call), options: view.options };
    return chosenIn(await this.#ask(methods.client.session.requestPermission, request, signal));
  }

  async #form(
    session: AttachedSession,
    { message, schema, call }: FormView,
    signal: AbortSignal,
  ): Promise<Fields | undefined> {
    const scope = { sessionId: session.id, ...(call === undefined ? {} : { toolCallId: call }) };
    const request = { mode: "form" as const, ...scope, message, requestedSchema: schema };
    return filledIn(await this.#ask(methods.client.elicitation.create, request, signal));
  }

  /** Asks the client something. When the signal fires, the client is told, and its answer no longer counts. */
  async #ask(method: string, request: object, signal: AbortSignal): Promise<unknown> {
    const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true } as const;
    return await this.#client?.request<unknown>(method, request, waiting);
  }

  async #choice(session: AttachedSession): Promise<void> {
    const told = this.#told.get(session);
    this.toldChoice(session, session.offer);
    const now = this.#told.get(session);
    if (!now || (told?.config === now.config && told.mode === now.mode)) return;
    if (now.mode !== undefined && told?.mode !== now.mode)
      await this.notify(session.id, { sessionUpdate: "current_mode_update", currentModeId: now.mode });
    if (told?.config !== now.config)
      await this.notify(session.id, {
        sessionUpdate: "config_option_update",
        configOptions: configOptions(session.offer, this.takesBooleans),
      });
  }
}
