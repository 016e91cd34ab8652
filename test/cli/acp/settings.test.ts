import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { Peer } from "../../support/acp/peer.ts";
import { shownZedServers } from "../../support/acp/shown.ts";
import { BIN, Home } from "../support.ts";

const servers = shownZedServers();

test("the pages show settings of Zed", () => assert.notEqual(servers.length, 0));

for (const { command, args, env = {} } of servers) {
  test(`settings of Zed, as shown: ${[command, ...args].join(" ")}`, async () => {
    await using home = new Home();
    chmodSync(home.write("bin/parley", `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`), 0o755);
    const PATH = `${join(home.root, "bin")}${delimiter}${process.env.PATH}`;
    await using peer = new Peer({ argv: [command, ...args], cwd: home.work, env: { ...home.env({ PATH }), ...env } });
    const { agentInfo } = await peer.initialize();
    assert.equal((agentInfo as { name: string }).name, "parley");
    // Another agent than the default one may be missing here.
    if (args.includes("--agent")) return;
    const session = await peer.newSession(home.work);
    assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
    assert.equal((await peer.leave()).code, 0);
  });
}
