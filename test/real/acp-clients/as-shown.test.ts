import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BIN, finished, Home } from "../../cli/support.ts";
import { type Message, Peer } from "../../support/acp/peer.ts";
import { realClient } from "../../support/acp/real-client.ts";
import { GROUP_MS } from "../../support/time.ts";

const { script = "", skip } = await realClient("acpx");

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), "utf8");

interface Server {
  type: string;
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** The settings of Zed that a page shows. */
function settingsIn(text: string): [string, Server][] {
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const shown = blocks.filter((block) => block.includes("agent_servers"));
  return shown.flatMap((block) =>
    Object.entries((JSON.parse(block) as { agent_servers: Record<string, Server> }).agent_servers),
  );
}

const linesIn = (text: string): string[] => [...text.matchAll(/^ {4}(acpx .*)$/gm)].map(([, line = ""]) => line);

/** A newcomer's home: `parley` in the search path, no key, no agent, and a project. */
function newcomer(t: TestContext): { home: Home; env: Record<string, string> } {
  const home = new Home();
  t.after(() => home[Symbol.asyncDispose]());
  chmodSync(home.write("bin/parley", `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`), 0o755);
  writeFileSync(join(home.work, "README.md"), "# Hi\n");
  const PATH = `${join(home.root, "bin")}:/usr/bin:/bin`;
  return { home, env: { ...home.env({ PATH, PARLEY_AGENT: "" }) } };
}

function allowing({ method, params = {} }: Message): unknown {
  if (method !== "session/request_permission") return undefined;
  const options = params.options as { optionId: string; kind: string }[];
  return { outcome: { outcome: "selected", optionId: options.find(({ kind }) => kind === "allow_once")?.optionId } };
}

const PROMPT = "Read README.md and add a line at the end";

for (const name of ["README.md", "docs/acp.md"]) {
  const text = page(name);
  describe(`what ${name} shows, run as it is shown`, { timeout: GROUP_MS }, () => {
    for (const [title, { type, command, args, env: more }] of settingsIn(text))
      test(`Zed's settings: ${title}`, async (t) => {
        const { home, env } = newcomer(t);
        assert.equal(type, "custom");
        await using zed = new Peer({
          argv: [command, ...args],
          cwd: home.work,
          env: { ...env, ...more },
          answer: allowing,
        });
        await zed.initialize(1, { fs: { readTextFile: true, writeTextFile: true }, terminal: true });
        if (args.includes("claude")) {
          const message = /agent claude is not installed.*parley install claude/;
          await assert.rejects(zed.newSession(home.work), message);
        } else {
          const session = await zed.newSession(home.work);
          assert.equal(await zed.stopReason(zed.prompt(session, PROMPT)), "end_turn");
          assert.equal(readFileSync(join(home.work, "README.md"), "utf8").split("\n").length, 3);
        }
        assert.equal((await zed.leave()).code, 0);
      });

    for (const line of linesIn(text))
      test(line, { skip }, async (t) => {
        const { home, env } = newcomer(t);
        chmodSync(home.write("bin/acpx", `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`), 0o755);
        const shell = spawn("sh", ["-c", line], { cwd: home.work, env, stdio: ["ignore", "pipe", "pipe"] });
        const { code, stdout, stderr } = await finished(shell);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /\[done\] end_turn/);
        assert.equal(readFileSync(join(home.work, "README.md"), "utf8").split("\n").length, 3);
      });
  });
}

test("both pages show settings of Zed and a line of acpx", () => {
  for (const name of ["README.md", "docs/acp.md"]) {
    assert.ok(settingsIn(page(name)).length > 0, name);
    assert.ok(linesIn(page(name)).length > 0, name);
  }
});
