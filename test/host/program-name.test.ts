import assert from "node:assert/strict";
import { test } from "node:test";
import { programName } from "../../src/host/contract.ts";

test("a program is named as a person knows it", () => {
  const rows: [string, readonly string[]][] = [
    ["claude", ["/opt/bin/claude", "--verbose"]],
    ["node", ["/usr/bin/node", "-e", "1"]],
    ["agent", ["node", "/opt/agent.mjs"]],
    ["codex-acp", ["/usr/bin/node", "/x/node_modules/@agentclientprotocol/codex-acp/dist/index.js", "--yes"]],
    ["tool", ["node", "/opt/tool/bin/cli.js"]],
    ["index", ["node", "index.js"]],
    ["acp:/bin/cat /etc/passwd", ["acp:/bin/cat /etc/passwd"]],
    ["a program", []],
  ];
  for (const [name, argv] of rows) assert.equal(programName(argv), name);
});
