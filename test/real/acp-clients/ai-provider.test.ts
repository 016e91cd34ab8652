import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, test } from "node:test";
import { finished } from "../../cli/support.ts";
import { realClient } from "../../support/acp/real-client.ts";
import { GROUP_MS } from "../../support/time.ts";
import { EDIT, Stage } from "./stage.ts";

const { script = "", skip } = await realClient("acp-ai-provider");

/** A program of the AI SDK with two prompts to one session. The provider keeps its process alive, so that it leaves by itself. */
const PROGRAM = `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [script, command, cwd] = process.argv.slice(2);
const { createACPProvider } = await import(pathToFileURL(script).href);
const { generateText } = createRequire(script)("ai");
const provider = createACPProvider({
  command, args: ["acp"], env: process.env, session: { cwd, mcpServers: [] }, persistSession: true,
});
const model = provider.languageModel();
const texts = [];
for (const prompt of ["[[edit]]", "once more"]) {
  texts.push((await generateText({ model, prompt, tools: provider.tools })).text);
}
process.stdout.write("\\n" + JSON.stringify(texts), () => process.exit(0));
`;

describe("the AI SDK's provider with an old SDK of the protocol, in front of parley acp", {
  skip,
  timeout: GROUP_MS,
}, () => {
  test("a prompt with an edit, and another one", async (t) => {
    const stage = await Stage.open(t, {
      script: {
        prompts: {
          "*": [{ text: "You said: {{prompt}}" }],
          edit: [{ text: "I change it. ", tools: [EDIT] }, { text: "It is changed." }],
        },
      },
    });
    const { home, env } = stage;
    const program = home.write("client.mjs", PROGRAM);
    const child = spawn(process.execPath, [program, script, `${home.root}/bin/parley`, home.work], {
      cwd: home.work,
      env: home.env(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stdout, stderr } = await finished(child);
    assert.equal(code, 0, stderr);
    const [edited, echoed] = JSON.parse(stdout.split("\n").at(-1) ?? "") as [string, string];
    assert.match(edited, /It is changed\./);
    assert.match(echoed, /You said: once more/);
    assert.equal(stage.readme, "# Demo\n\nhello\nadded\n");
    const listed = JSON.parse((await stage.parley("sessions", "--json")).stdout) as unknown[];
    assert.equal(listed.length, 1);
  });
});
