import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The variable that tells the plugin where to ask. Whoever knows it can ask, and not answer. */
export const GATE_VARIABLE = "PARLEY_OPENCODE_GATE";

/**
 * A plugin of OpenCode's that asks Parley before each call of a tool, whichever agent makes it. A call about which Parley cannot be asked is refused. It keeps the
 * password of the server from the agent's commands: with it they could do without asking. Written in the language that the program runs plugins in.
 */
const SOURCE = `const gate = process.env.${GATE_VARIABLE};
const ask = async (body) => {
  const answer = await fetch(gate, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), timeout: false });
  if (!answer.ok) throw new Error("Parley does not answer: " + answer.status);
  return answer.json();
};
export const ParleyGate = async ({ directory }) => {
  await ask({ directory });
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const { refused } = await ask({ session: sessionID, call: callID, tool, input: args });
      if (refused !== null) throw new Error(refused);
    },
    "shell.env": async (_, { env }) => {
      env.OPENCODE_SERVER_PASSWORD = "";
      env.${GATE_VARIABLE} = "";
    },
  };
};
`;

/** Writes the plugin and returns its address. A program that is being started never reads half of it. */
export function writePlugin(parent: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const file = join(parent, "opencode-gate.js");
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, SOURCE, { mode: 0o600 });
  renameSync(draft, file);
  return pathToFileURL(file).href;
}
