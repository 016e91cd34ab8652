import type { ServerResponse } from "node:http";
import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import { present } from "../../../core/json/fields.ts";
import { proseLine } from "../../../core/one-line.ts";
import type { Receipt } from "../../../core/receipt.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { SlashCommand } from "../../../gateway/commands/slash-command.ts";
import { hintsOf } from "../../../gateway/commands/template.ts";
import type { CommandRequest } from "../../../gateway/session-work.ts";
import { outcomeOf } from "../../http/turn-outcome.ts";
import { offeredCommands } from "../catalog/used-agents.ts";
import { attendedBy } from "../client-kind.ts";
import type { Surface } from "../context.ts";
import { tagged } from "../errors.ts";
import { History } from "../messages/history.ts";
import { get, type Operation, post } from "../operation.ts";
import { sessionHead } from "../sessions/session-head.ts";
import { shownSession } from "../sessions/shown-session.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import { answerLater } from "./later-answer.ts";
import { answerTo } from "./prompt-answer.ts";
import { partInputs, promptParts } from "./prompt-input.ts";
import { choiceOf } from "./prompting.ts";

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
  parts: partInputs.optional(),
});

const forkInput = z.object({ messageID: z.string().optional() });
const revertInput = z.object({ messageID: z.string(), partID: z.string().optional() });
const summarizeInput = z.object({ providerID: z.string(), modelID: z.string(), auto: z.boolean().optional() });
const initInput = z.object({ modelID: z.string(), providerID: z.string(), messageID: z.string() });

/** A menu of commands has one line for each. */
function commandInfo({ name, description, mode, model: wanted, subtask, template, skill }: SlashCommand): object {
  const facts = { description: description && proseLine(description), agent: mode, model: wanted, subtask };
  return present({ name, ...facts, source: skill ? "skill" : "command", template, hints: hintsOf(template) });
}

const BUSY = "the session is busy: wait for its turn to end, or stop it, and try again";

/** A session that is busy is named in the refusal. */
async function unlessBusy<T>(sessionID: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isParleyError(error) || error.code !== "busy") throw error;
    throw tagged(409, "SessionBusyError", BUSY, { sessionID });
  }
}

const SHELL = "Parley itself runs the command; the agent gets its output with the next prompt";
const COMMANDS =
  "built in, of the project (.opencode, .claude, opencode.json), and of the agent of the directory's newest session";
const REVERT = "whole turns, also for a part; 409 names a file that was changed since, 501 for an agent that cannot";

export function turnOperations(surface: Surface): Operation[] {
  const { gateway, bus } = surface;
  const history = new History(gateway.log);

  async function stateOf({ sessionID }: { sessionID: string }): Promise<SessionState> {
    return (await sessionHead(surface, sessionID)).state;
  }

  async function answer(session: string, receipt: Receipt): Promise<MessageWithParts> {
    const outcome = await outcomeOf(gateway.log, session, receipt);
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

  const path = "/session/{sessionID}";
  return [
    post(`${path}/shell`, "session.shell", { note: SHELL, body: shellInput }, async ({ params, body, response }) => {
      const state = await stateOf(params);
      const { messageID, command } = body;
      const asked = { command, ...(await choiceOf(surface, state, body)), ...present({ id: messageID }) };
      const receipt = await unlessBusy(state.id, gateway.work.shell(state.id, asked));
      return answerLater(surface, response, state.id, answer(state.id, receipt));
    }),
    get("/command", "command.list", { note: COMMANDS }, async ({ directory }) =>
      (await offeredCommands(surface, directory)).map(commandInfo),
    ),
    post(
      `${path}/command`,
      "session.command",
      { note: "404 for an unknown one; a subtask is run in the session itself", body: commandInput },
      async ({ params, body, response, header }) => {
        const state = await stateOf(params);
        const { messageID, command, arguments: added, agent, parts, model: named, variant } = body;
        const wanted = named === undefined ? undefined : surface.environment.catalog.split(named);
        const choice = await choiceOf(surface, state, { model: wanted, agent, variant });
        const attached = parts && promptParts(parts, state.directory);
        const facts = present({ id: messageID, parts: attached, attended: attendedBy(header("user-agent")) });
        const request = { command, arguments: added, ...choice, ...facts };
        return runCommand(response, state, request);
      },
    ),
    post(
      `${path}/fork`,
      "session.fork",
      { note: "501 for an agent that cannot", body: forkInput },
      async ({ params, body }) => {
        const { id } = await stateOf(params);
        return shownSession(await gateway.work.fork(id, present({ before: body.messageID })));
      },
    ),
    post(`${path}/revert`, "session.revert", { note: REVERT, body: revertInput }, async ({ params, body }) => {
      const { id } = await stateOf(params);
      return shownSession(await unlessBusy(id, gateway.work.revert(id, body)));
    }),
    post(
      `${path}/unrevert`,
      "session.unrevert",
      { note: "until the next prompt makes the revert final" },
      async ({ params }) => {
        const { id } = await stateOf(params);
        return shownSession(await unlessBusy(id, gateway.work.unrevert(id)));
      },
    ),
    post(
      `${path}/summarize`,
      "session.summarize",
      { note: "false when no summary came of it; 501 for an agent that cannot be told to", body: summarizeInput },
      async ({ params, body: { auto, ...wanted }, response }) => {
        const state = await stateOf(params);
        const choice = await choiceOf(surface, state, { model: wanted });
        const receipt = await gateway.work.compact(state.id, { ...choice, ...present({ auto }) });
        const over = outcomeOf(gateway.log, state.id, receipt).then(({ reason }) => reason === "end_turn");
        return answerLater(surface, response, state.id, over);
      },
    ),
    post(
      `${path}/init`,
      "session.init",
      { note: "the command `init`", body: initInput },
      async ({ params, body: { messageID, ...wanted }, response }) => {
        const state = await stateOf(params);
        const choice = await choiceOf(surface, state, { model: wanted });
        return runCommand(response, state, { command: "init", arguments: "", id: messageID, ...choice }, () => true);
      },
    ),
  ];
}
