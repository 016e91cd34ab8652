import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  methods,
  type RequestPermissionRequest,
  type SendRequestOptions,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type Fields, present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { chosenIn, filledIn } from "../asks/answers.ts";
import { afterResponses } from "../session/after-responses.ts";
import type { AttachedSession } from "../session/attached.ts";
import type { FormView, Front, PermissionView } from "../session/front.ts";
import { configOptions, type Offer } from "../translate/config-options.ts";
import type { Update } from "../translate/updates.ts";
import { callFields } from "./shapes.ts";
import { currentState, isIdle, v2Updates } from "./updates.ts";

/** The choices of a session as version 2 has them. */
export function choices(offer: Offer): SessionConfigOption[] {
  return configOptions(offer, true).map(({ id, ...rest }) => ({ ...rest, configId: id })) as SessionConfigOption[];
}

/** Shows sessions to a client of version 2. */
export class V2Front implements Front {
  readonly #logger: Logger;
  #client: AgentContext | undefined;
  readonly #told = new WeakMap<AttachedSession, string>();
  /** The last state that was told of sessions that are not idle. */
  readonly #busy = new WeakMap<AttachedSession, SessionUpdate>();
  form?: Front["form"];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  begin(client: AgentContext, capabilities: ClientCapabilities): void {
    this.#client = client;
    if (capabilities.elicitation?.form) this.form = (session, view, signal) => this.#form(session, view, signal);
  }

  /** Remembers the choices that a response told. */
  toldChoice(session: AttachedSession, offer: Offer): void {
    this.#told.set(session, JSON.stringify(choices(offer)));
  }

  /** Tells the state that holds now: a response that resumes a session comes after it. */
  async tellState(session: AttachedSession): Promise<void> {
    const isUntold = session.openTurn && !this.#busy.has(session);
    // The ask of a sub-agent is not in the state of the session that waits for it.
    const asks = isUntold ? await session.handle.asks() : [];
    await this.#notify(session.id, this.#busy.get(session) ?? currentState(session.openTurn, asks.length > 0));
  }

  /** Tells what follows the response that opened a session: what waits for the client, and the asks that are open. */
  welcome(session: AttachedSession): void {
    void afterResponses()
      .then(() => session.greet())
      .catch((error: unknown) => this.#logger.debug({ err: error, session: session.id }, "a client was not welcomed"));
  }

  async update(session: AttachedSession, update: Update): Promise<void> {
    if (update.type === "choice") return await this.#choice(session);
    for (const one of v2Updates(update)) {
      if (isIdle(one)) this.#busy.delete(session);
      else if (one.sessionUpdate === "state_update") this.#busy.set(session, one);
      await this.#notify(session.id, one);
    }
  }

  async permission(session: AttachedSession, view: PermissionView, signal: AbortSignal): Promise<string | undefined> {
    const { title, description, options, id, call } = view;
    const request: RequestPermissionRequest = {
      sessionId: session.id,
      title,
      options,
      subject: { type: "tool_call", toolCall: callFields(id, call) },
      ...present({ description }),
    };
    return chosenIn(
      await this.#connected().request(methods.client.session.requestPermission, request, waiting(signal)),
    );
  }

  async #form(
    session: AttachedSession,
    { message, schema, call }: FormView,
    signal: AbortSignal,
  ): Promise<Fields | undefined> {
    const scope = { sessionId: session.id, ...present({ toolCallId: call }) };
    const request = { mode: "form" as const, ...scope, message, requestedSchema: schema };
    const answer = await this.#connected().request(
      methods.client.elicitation.create,
      request as CreateElicitationRequest,
      waiting(signal),
    );
    return filledIn(answer);
  }

  #connected(): AgentContext {
    if (!this.#client) throw new Error("the client has not begun");
    return this.#client;
  }

  async #notify(session: string, update: SessionUpdate): Promise<void> {
    await this.#client?.notify(methods.client.session.update, { sessionId: session, update });
  }

  async #choice(session: AttachedSession): Promise<void> {
    const before = this.#told.get(session);
    this.toldChoice(session, session.offer);
    if (this.#told.get(session) === before) return;
    await this.#notify(session.id, { sessionUpdate: "config_option_update", configOptions: choices(session.offer) });
  }
}

/** When the signal fires, the client is told, and its answer no longer counts. */
function waiting(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
