import { type AgentApp, agent, type ContentBlock, methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import { present, textIn } from "../../../core/json/fields.ts";
import { turnError } from "../errors.ts";
import { assertNoInstructions, blocksIn, isCancelled, sessionFields, told } from "../requests.ts";
import type { AttachedSession } from "../session/attached.ts";
import type { SendNow } from "../session/front.ts";
import { replay } from "../session/history.ts";
import {
  authenticate,
  cancelIn,
  cancelPromptIn,
  choose,
  closeSession,
  deleteSession,
  listSessions,
  sendPrompt,
  steer,
} from "../session/operations.ts";
import { Sessions } from "../session/sessions.ts";
import type { AcpOptions, VersionApp } from "../surface.ts";
import { configOptions, MODE, MODEL, modelState, modeState } from "../translate/config-options.ts";
import { failureOf, stopReason, turnUsage } from "../translate/outcome.ts";
import type { TurnEnd } from "../translate/updates.ts";
import { V1Front } from "./front.ts";
import { initialized } from "./initialize.ts";

/** The agent of one connection, for clients of version 1. */
export function v1App(options: AcpOptions, sendNow?: SendNow): VersionApp<AgentApp> {
  const front = new V1Front(options.logger, sendNow);
  const sessions = new Sessions(options, front);
  const app = agent({ name: "parley" });

  /** The facts that every response tells which opens a session; the rest follows it. */
  const opened = (session: AttachedSession): object => {
    front.toldChoice(session, session.offer);
    front.welcome(session);
    return present({
      modes: modeState(session.offer),
      configOptions: configOptions(session.offer, front.takesBooleans),
      models: modelState(session.offer),
    });
  };

  app
    .onRequest(methods.agent.initialize, ({ params, client }) => {
      front.begin(client, params.clientCapabilities ?? {});
      return initialized(options.version);
    })
    .onRequest(methods.agent.authenticate, ({ params }) => told(() => authenticate(sessions, params.methodId)))
    .onRequest(methods.agent.session.new, ({ params, signal }) =>
      told(async () => {
        assertNoInstructions(params);
        const session = await sessions.create(params, signal);
        return { sessionId: session.id, ...opened(session) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params }) =>
      told(async () => {
        assertNoInstructions(params);
        return opened(await sessions.attach(params.sessionId, replay));
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      told(async () => {
        assertNoInstructions(params);
        return opened(await sessions.get(params.sessionId));
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.fork, ({ params, signal }) =>
      told(async () => {
        assertNoInstructions(params);
        const session = await sessions.fork(params.sessionId, signal);
        return { sessionId: session.id, ...opened(session) };
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.list, ({ params }) => told(() => listSessions(sessions, params)))
    .onRequest(methods.agent.session.close, ({ params }) => told(() => closeSession(sessions, params.sessionId)))
    .onRequest(methods.agent.session.delete, ({ params }) => told(() => deleteSession(sessions, params.sessionId)))
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      told(async () => {
        await set(sessionId, MODE, modeId);
      }, sessionId),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      told(async () => {
        const { session, offer } = await set(sessionId, configId, value);
        front.toldChoice(session, offer);
        return { configOptions: configOptions(offer, front.takesBooleans) };
      }, sessionId),
    )
    .onRequest("session/set_model", sessionFields, ({ params }) =>
      told(async () => {
        await set(params.sessionId, MODEL, textIn(params, "modelId") ?? "");
        return {};
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      told(() => prompt(params.sessionId, params.prompt, signal), params.sessionId),
    )
    .onRequest("_session/steering", sessionFields, ({ params }) =>
      told(async () => {
        const session = await sessions.get(params.sessionId);
        return await steer(session, blocksIn(params), textIn(params, "idleBehavior"));
      }, params.sessionId),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      try {
        await cancelIn(sessions, params.sessionId);
      } catch (error) {
        options.logger.warn({ err: error, session: params.sessionId }, "a turn could not be stopped");
      }
    });

  async function set(id: string, option: string, value: string | boolean) {
    const session = await sessions.get(id);
    return { session, offer: { state: await choose(session, option, value), info: session.info } };
  }

  async function prompt(id: string, blocks: readonly ContentBlock[], signal: AbortSignal) {
    const session = await sessions.get(id);
    const sent = sendPrompt(session, blocks);
    const stop = (): void => {
      // A client that is gone wanted nothing: its turn goes on.
      if (!isCancelled(signal)) return;
      cancelPromptIn(sessions, id, sent.id).catch((error: unknown) => {
        options.logger.warn({ err: error, session: id }, "a prompt could not be cancelled");
      });
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const end = await sent.end;
    if (signal.aborted && stopReason(end) === "cancelled") throw RequestError.requestCancelled();
    return respond(end);
  }

  return { app, sessions };
}

/** The response of a prompt: its turn's one end. */
function respond(end: TurnEnd) {
  const reason = stopReason(end);
  if (reason === undefined) throw turnError(failureOf(end));
  return { stopReason: reason, ...present({ usage: turnUsage(end.usage) }) };
}
