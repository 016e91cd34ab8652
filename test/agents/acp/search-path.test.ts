import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createAcpAgent } from "../../../src/agents/acp/agent.ts";
import { foundAgent } from "../../../src/agents/acp/found-agent.ts";
import { makePlace } from "../contract/rigs.ts";
import { Watched } from "../contract/watched.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

test("an agent in a directory that is not trusted finds no program of the project by its search path", async (t) => {
  const { host, directory: root, processes } = await makePlace(t);
  const directory = join(root, "project");
  const places = [join(directory, "node_modules", ".bin"), join(directory, "tools")];
  for (const place of places) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "node"), `#!/bin/sh\ntouch '${root}/ran'\nexec '${process.execPath}' "$@"\n`);
    chmodSync(join(place, "node"), 0o755);
  }
  const program = join(root, "agent");
  writeFileSync(program, `#!/bin/sh\nexec node '${PROGRAM}'\n`);
  chmodSync(program, 0o755);
  for (const [place, trusted] of [
    [places[0], false],
    [places[1], false],
    ["tools", false],
    [places[1], true],
  ] as const) {
    const env = { PATH: `${place}:${dirname(process.execPath)}:/usr/bin:/bin`, STAND_IN: "{}" };
    const agent = createAcpAgent({ name: "stand-in", argv: [program], host, env });
    const watched = await new Watched({ agent, directory, processes }, { trusted }).ready();
    await watched.session.close();
    assert.equal(existsSync(join(root, "ran")), trusted, `${place}, ${trusted}`);
  }
});

test("a program of a project that is not trusted is not run to be asked what it has", async (t) => {
  const { host, directory: root } = await makePlace(t);
  const directory = join(root, "project");
  const program = join(directory, "bin", "tool");
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `#!/bin/sh\ntouch '${root}/ran'\nexec '${process.execPath}' '${PROGRAM}'\n`);
  chmodSync(program, 0o755);
  const facts = {
    name: "tool",
    title: "Tool",
    files: [],
    search: () => ({ argv: [program] as [string], detail: program, searched: true as const }),
  };
  const agent = foundAgent(facts, { host, dataDirectory: root, env: { STAND_IN: "{}" } });
  const found = await agent.discover({ directory, trusted: false });
  assert.equal(existsSync(join(root, "ran")), false);
  assert.deepEqual([found.installed, found.credentials], [true, "unknown"]);
  assert.match(found.detail ?? "", /bin\/tool is a program of this directory, which is not trusted/);
  assert.equal((await agent.discover({ directory, trusted: true })).credentials, "found");
  assert.equal(existsSync(join(root, "ran")), true);
});
