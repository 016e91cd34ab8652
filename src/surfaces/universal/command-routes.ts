import { z } from "zod";
import { loose, optionValues, promptPart } from "../../core/events/values.ts";
import { present } from "../../core/json/fields.ts";
import { proseLine } from "../../core/one-line.ts";
import type { SlashCommand } from "../../gateway/commands/slash-command.ts";
import { hintsOf } from "../../gateway/commands/template.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { get, post, type Route } from "./route.ts";
import { outcome, receipt } from "./schemas.ts";
import { answerTurn, turnQuery } from "./turn-answer.ts";

const command = loose("Command", {
  name: z.string().describe("without the slash"),
  description: z.string().optional().describe("one line"),
  hint: z.string().optional().describe("the words that it takes"),
  source: z.enum(["agent", "project", "parley"]).describe("whose it is"),
  skill: z.boolean().optional().describe("a skill of the agent"),
  mode: z.string().optional().describe("the mode that its author wants"),
  model: z.string().optional().describe("the model that its author wants"),
});

const commandRequest = z
  .strictObject({
    id: z.string().optional().describe("msg_…; the same id with the same request is one turn"),
    command: z.string().min(1).describe("its name, without the slash"),
    arguments: z.string().default("").describe("the words after the name"),
    parts: z.array(promptPart).optional().describe("further parts of the prompt, such as files"),
    model: z.string().optional().describe("from this prompt on"),
    mode: z.string().optional().describe("from this prompt on"),
    options: optionValues.optional().describe("from this prompt on"),
    attended: z.boolean().optional().describe("as with a prompt"),
  })
  .meta({ id: "CommandRequest" });

function shown({ name, description, agent, file, template, hint, skill, mode, model }: SlashCommand): object {
  const source = agent !== undefined ? "agent" : file !== undefined ? "project" : "parley";
  const places = agent === undefined ? hintsOf(template).join(" ") : "";
  const facts = { description: description && proseLine(description), hint: hint ?? (places || undefined) };
  return present({ name, ...facts, source, skill, mode, model });
}

/** The slash commands of a session. */
export function commandRoutes(gateway: Gateway): Route[] {
  return [
    get("/v1/sessions/{session}/commands", "listCommands", {
      summary: "The slash commands of a session: its agent's, its project's and Parley's own.",
      answer: z.looseObject({ commands: z.array(command) }),
      errors: [403, 404, 503],
      handle: async ({ params }) => ({ commands: (await gateway.work.commandsOf(params.session)).map(shown) }),
    }),
    post("/v1/sessions/{session}/commands", "runCommand", {
      summary: "Give the agent the prompt that a slash command stands for.",
      query: turnQuery,
      body: commandRequest,
      status: 202,
      answer: receipt,
      also: { 200: outcome },
      errors: [403, 404, 409, 422, 429, 503, 507],
      handle: async (call) => {
        const session = call.params.session;
        return answerTurn(gateway, call, session, await gateway.work.command(session, call.body));
      },
    }),
  ];
}
