import { z } from "zod";
import type { Surface } from "../context.ts";
import { badRequest, OpencodeError, tagged } from "../errors.ts";
import { get, type Operation, post, remove } from "../operation.ts";
import { type McpConfig, mcpConfig } from "./config.ts";

const addition = z.object({ name: z.string().regex(/^[\w-]{1,64}$/), config: mcpConfig });
const code = z.object({ code: z.string() });

const NEW_SESSIONS = "for sessions that begin afterwards, with an agent that takes such servers";
const NO_LOGIN = "servers that need a login by OAuth are left to the agents; a token goes into `headers`";

function unknown(name: string): OpencodeError {
  return tagged(404, "McpServerNotFoundError", `MCP server not found: ${name}`, { name });
}

function noOAuth(name: string, { type }: McpConfig): OpencodeError {
  const advice = type === "remote" ? " here: give its token in the headers of its configuration" : "";
  const error = `MCP server ${name} does not support OAuth${advice}`;
  return new OpencodeError(400, { error }, error);
}

export function mcpOperations({ environment: { mcp } }: Surface): Operation[] {
  async function known(directory: string, name: string): Promise<McpConfig> {
    const found = await mcp.find(directory, name);
    if (!found) throw unknown(name);
    return found;
  }

  const switched = (how: "connect" | "disconnect"): Operation =>
    post(`/mcp/{name}/${how}`, `mcp.${how}`, { note: NEW_SESSIONS }, async ({ directory, params: { name } }) => {
      if (!(await mcp.switch(directory, name, how === "connect"))) throw unknown(name);
      return true;
    });

  const refused = (path: "" | "/authenticate", id: string): Operation =>
    post(`/mcp/{name}/auth${path}`, `mcp.auth.${id}`, { note: NO_LOGIN }, async ({ directory, params: { name } }) => {
      throw noOAuth(name, await known(directory, name));
    });

  return [
    get("/mcp", "mcp.status", { note: "each server is begun, or reached, once to see whether it answers" }, (call) =>
      mcp.status(call.directory),
    ),
    post("/mcp", "mcp.add", { note: NEW_SESSIONS, body: addition }, async ({ directory, body: { name, config } }) => {
      await mcp.add(directory, name, config);
      return mcp.status(directory);
    }),
    switched("connect"),
    switched("disconnect"),
    refused("", "start"),
    refused("/authenticate", "authenticate"),
    post(
      "/mcp/{name}/auth/callback",
      "mcp.auth.callback",
      { note: NO_LOGIN, body: code },
      async ({ directory, params: { name } }) => {
        await known(directory, name);
        throw badRequest(`no login of the MCP server ${name} is under way`);
      },
    ),
    remove("/mcp/{name}/auth", "mcp.auth.remove", { note: NO_LOGIN }, async ({ directory, params: { name } }) => {
      await known(directory, name);
      return { success: true };
    }),
  ];
}
