import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent, AgentCapabilities, McpServer } from "../../src/agents/contract.ts";
import { assertServers } from "../../src/gateway/mcp-servers.ts";

type Kind = McpServer["type"];

const UNSURE: AgentCapabilities = { mcp: ["stdio", "http", "sse"], mcpUnsure: ["http", "sse"] };

interface Row {
  name: string;
  capabilities: AgentCapabilities;
  /** What its program says when it is asked; absent where it cannot be. */
  said?: readonly Kind[];
  wanted: readonly Kind[];
  asked: number;
  refused?: RegExp;
}

const ROWS: Row[] = [
  { name: "takes none", capabilities: {}, wanted: ["http"], asked: 0, refused: /type http; it takes none/ },
  {
    name: "takes others",
    capabilities: { mcp: ["stdio"] },
    wanted: ["sse"],
    asked: 0,
    refused: /sse; it takes: stdio/,
  },
  { name: "takes them", capabilities: { mcp: ["stdio", "http"] }, wanted: ["http", "stdio"], asked: 0 },
  { name: "is sure of those that are wanted", capabilities: UNSURE, wanted: ["stdio"], asked: 0 },
  { name: "says that it takes them", capabilities: UNSURE, said: ["stdio", "sse"], wanted: ["sse"], asked: 1 },
  {
    name: "says that it takes others",
    capabilities: UNSURE,
    said: ["stdio", "http"],
    wanted: ["stdio", "sse"],
    asked: 1,
    refused: /type sse; it takes: stdio, http/,
  },
  { name: "cannot be asked", capabilities: UNSURE, wanted: ["http"], asked: 1 },
];

for (const { name, capabilities, said, wanted, asked, refused } of ROWS)
  test(`MCP servers are ${refused ? "refused" : "taken"} for an agent that ${name}`, async () => {
    const agent: Pick<Agent, "name" | "capabilities"> = { name: "able", capabilities };
    let questions = 0;
    const discover = async (): Promise<void> => {
      questions += 1;
      if (said) agent.capabilities = { mcp: said };
    };
    const servers = wanted.map((type) => ({ name: type, type }));
    const checked = assertServers(agent as Agent, servers, discover);
    if (refused) await assert.rejects(checked, { code: "unsupported", message: refused });
    else await checked;
    assert.equal(questions, asked);
  });
