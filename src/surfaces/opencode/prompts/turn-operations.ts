import type { ServerResponse } from "node:http";
import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { SlashCommand } from "../../../gateway/commands/slash-command.ts";
import { hintsOf } from "../../../gateway/commands/template.ts";
import type { Receipt } from "../../../gateway/receipt.ts";
import type { CommandRequest } from "../../../gateway/session-work.ts";
import { splitModel } from "../catalog/catalog.ts";
import type { Choice } from "../catalog/choice.ts";
import type { Surface } from "../context.ts";
import { tagged } from "../errors.ts";
import { History } from "../messages/history.ts";
import { type Operation, operation } from "../operation.ts";
import { sessionOf } from "../projection/session-shape.ts";
import { sessionHead } from "../sessions/session-head.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import type { Session } from "../shapes/session.ts";
import { projectOf } from "../workspace/project.ts";
import { answerLater, turnOver } from "./later-answer.ts";
import { answerTo } from "./prompt-answer.ts";
import { promptInput, promptParts } from "./prompt-input.ts";

const model = z.object({ providerID: z.string(), modelID: z.string() });

const shellInput = z.object({
  messageID: z.string().optional(),
  agent: z.string().optional(),
  model: model.optional(),
  command: z.string().min(1, "expected a command, got nothing"),
});

const commandInput = z.object({
  messageID: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  arguments: z.string().default(""),
  command: z.string(),
  variant: z.string().optional(),
  parts: promptInput.shape.parts.optional(),
});

const forkInput = z.object({ messageID: z.string().optional() });
const revertInput = z.object({ messageID: z.string(), partID: z.string().optional() });
const summarizeInput = z.object({ providerID: z.string(), modelID: z.string(), auto: z.boolean().optional() });
const initInput = z.object({ modelID: z.string(), providerID: z.string(), messageID: z.string() });

function commandInfo({ name, description, mode, model: wanted, subtask, template }: SlashCommand): object {
  const given = Object.entries({ description, agent: mode, model: wanted, subtask });
  return {
    name,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    source: "command",
    template,
    hints: hintsOf(template),
  };
}

function shownSession(state: SessionState): Session {
  return sessionOf(state, { projectOf: (directory) => projectOf(directory).id });
}

/** A session that is busy is named in the refusal. */
async function unlessBusy<T>(sessionID: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isParleyError(error) || error.code !== "busy") throw error;
    throw tagged(409, "SessionBusyError", error.message, { sessionID });
  }
}

export function turnOperations(surface: Surface): Operation[] {
  const { gateway, bus, environment } = surface;
  const history = new History(gateway.log);

  /** Who is to answer, and how: as the client says, else as it was. */
  function choose(
    { agent: own, parent }: SessionState,
    wish: { model?: z.output<typeof model>; agent?: string },
  ): Promise<Partial<Choice>> {
    const { model: wanted, agent } = wish;
    if (parent !== undefined || (wanted === undefined && agent === undefined)) return Promise.resolve({});
    return environment.catalog.choose({ providerID: own, ...wanted, ...(agent === undefined ? {} : { agent }) });
  }

  async function answer(session: string, receipt: Receipt): Promise<MessageWithParts> {
    const outcome = await turnOver(surface, session, receipt);
    return answerTo(history, await gateway.head(session), receipt.prompt, outcome);
  }

  async function runCommand(
    response: ServerResponse,
    { id, directory }: SessionState,
    request: CommandRequest,
    give: (message: MessageWithParts) => unknown = (message) => message,
  ): Promise<unknown> {
    const receipt = await gateway.work.command(id, request);
    const message = answer(id, receipt);
    const { command: name, arguments: added } = request;
    const tell = ({ info }: MessageWithParts): void =>
      bus.publish(directory, "command.executed", { name, sessionID: id, arguments: added, messageID: info.id });
    message.then(tell, () => {});
    return answerLater(surface, response, id, message.then(give));
  }

  return [
    operation({
      method: "post",
      path: "/session/{sessionID}/shell",
      id: "session.shell",
      support: "real",
      note: "run by Parley itself; the agent is told what it wrote with its next prompt",
      body: shellInput,
      async handle({ params, body, response }) {
        const { state } = await sessionHead(surface, params.sessionID);
        const { messageID, command } = body;
        const asked = { ...(await choose(state, body)), ...(messageID === undefined ? {} : { id: messageID }) };
        const receipt = await unlessBusy(state.id, gateway.work.shell(state.id, { command, ...asked }));
        return answerLater(surface, response, state.id, answer(state.id, receipt));
      },
    }),
    operation({
      method: "get",
      path: "/command",
      id: "command.list",
      support: "real",
      note: "built in, of the project (.opencode, .claude, opencode.json), and of the agents themselves",
      handle: async ({ directory }) => (await gateway.work.commands(directory)).map(commandInfo),
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/command",
      id: "session.command",
      support: "real",
      note: "404 for an unknown one; a subtask is run in the session itself",
      body: commandInput,
      async handle({ params, body, response }) {
        const { state } = await sessionHead(surface, params.sessionID);
        const { messageID, command, arguments: added, agent, parts } = body;
        const wanted = body.model === undefined ? {} : { model: splitModel(body.model) };
        return runCommand(response, state, {
          command,
          arguments: added,
          ...(await choose(state, { ...wanted, ...(agent === undefined ? {} : { agent }) })),
          ...(messageID === undefined ? {} : { id: messageID }),
          ...(parts ? { parts: promptParts(parts, state.directory) } : {}),
        });
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/fork",
      id: "session.fork",
      support: "real",
      note: "501 for an agent that keeps its memory to itself",
      body: forkInput,
      async handle({ params, body }) {
        const { state } = await sessionHead(surface, params.sessionID);
        const { messageID } = body;
        return shownSession(await gateway.work.fork(state.id, messageID === undefined ? {} : { before: messageID }));
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/revert",
      id: "session.revert",
      support: "real",
      note: "whole turns, also for a part; 409 names a file that was changed since, 501 for an agent that remembers",
      body: revertInput,
      async handle({ params, body }) {
        const { state } = await sessionHead(surface, params.sessionID);
        return shownSession(await unlessBusy(state.id, gateway.work.revert(state.id, body)));
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/unrevert",
      id: "session.unrevert",
      support: "real",
      note: "until the next prompt makes the revert final",
      async handle({ params }) {
        const { state } = await sessionHead(surface, params.sessionID);
        return shownSession(await unlessBusy(state.id, gateway.work.unrevert(state.id)));
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/summarize",
      id: "session.summarize",
      support: "real",
      note: "false when no summary came of it; 501 for an agent that cannot be told to",
      body: summarizeInput,
      async handle({ params, body, response }) {
        const { state } = await sessionHead(surface, params.sessionID);
        const { auto, ...wanted } = body;
        const choice = await choose(state, { model: wanted });
        const receipt = await gateway.work.compact(state.id, { ...choice, ...(auto === undefined ? {} : { auto }) });
        const over = turnOver(surface, state.id, receipt).then(({ reason }) => reason === "end_turn");
        return answerLater(surface, response, state.id, over);
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/init",
      id: "session.init",
      support: "real",
      note: "the command `init`",
      body: initInput,
      async handle({ params, body, response }) {
        const { state } = await sessionHead(surface, params.sessionID);
        const { messageID, ...wanted } = body;
        const choice = await choose(state, { model: wanted });
        return runCommand(response, state, { command: "init", arguments: "", id: messageID, ...choice }, () => true);
      },
    }),
  ];
}
