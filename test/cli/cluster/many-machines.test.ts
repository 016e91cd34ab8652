import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { SETTINGS } from "../../../src/cli/config/table.ts";
import { isFree } from "../../../src/cli/serve/port.ts";
import { freePort, needsPostgres, unprivileged } from "../../support/postgres.ts";
import { deadline } from "../../support/time.ts";
import { BIN, finished, Home } from "../support.ts";

const PAGE = readFileSync(new URL("../../../docs/many-machines.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);

/** The last port before three that are free. */
async function freePorts(): Promise<number> {
  for (;;) {
    const base = await freePort();
    const free = await Promise.all([1, 2, 3].map((more) => isFree("127.0.0.1", base + more)));
    if (base < 65_000 && free.every(Boolean)) return base;
  }
}

describe("docs/many-machines.md", () => {
  test("its commands run as they stand, and show what is shown", { ...needsPostgres, timeout: 300_000 }, async () => {
    await using home = new Home();
    const [base, database] = [await freePorts(), await freePort()];
    const shown = blocks("bash").join('\necho "== next"\n');
    const script = shown
      .replaceAll(/\b742([123])\b/g, (_, more) => String(base + Number(more)))
      .replace("7420 + n", `${base} + n`)
      .replace("PGPORT=5433", `PGPORT=${database}`);
    assert.notEqual(script, shown);
    const program = home.write("bin/parley", `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    chmodSync(program, 0o755);
    const directory = `${home.root}/empty`;
    mkdirSync(directory);
    const user = unprivileged();
    if (user) for (const path of [home.root, directory, home.work]) chownSync(path, user.uid, user.gid);
    const env = home.env({ PATH: `${home.root}/bin:${process.env.PATH}`, PARLEY_AGENT: "", PARLEY_NODE_LEASE: "3s" });
    // Whatever happens, nothing of it stays.
    const tidy =
      "trap 'set +e; kill -9 $(jobs -p) 2>/dev/null; pg_ctl -D pg -m immediate stop >/dev/null 2>&1' EXIT\nset -e\n";
    const child = spawn("bash", ["-c", tidy + script], {
      ...user,
      cwd: directory,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    using _late = deadline(() => child.kill("SIGTERM"));
    const { code, stdout, stderr } = await finished(child);
    const said = `${stdout}\n${stderr}`;
    assert.equal(code, 0, said);
    const [, nodes = "", session = "", death = "", after = "", back = ""] = stdout.split("== next\n");
    assert.match(
      nodes,
      /^NAME +PLACE +ADDRESS +VERSION +LEASE +STATE\nnode-1 \* .* up\nnode-2 .* up\nnode-3 .* up\n$/,
      said,
    );
    assert.match(session, /You said: And from two[\s\S]*\nID +STATUS[\s\S]*ses_\S+ +idle/, said);
    assert.match(death, /^the run ended with exit code 5\nNAME[^\n]*\nnode-2 .* up\nnode-3 \* .* up\n$/, said);
    assert.match(after, /You said: Are you still there\?/, said);
    assert.match(back, /ok +nodes +node-1 \(\S+\), node-3 \(\S+\)/, said);
    assert.match(stderr, /parley: node-2 is gone/);
    assert.doesNotMatch(said, /a word that you choose/);
  });

  test("its compose file sets what there is, for nodes of one place", () => {
    const [text = ""] = blocks("yaml");
    const { services } = parse(text, { merge: true }) as {
      services: Record<string, { environment: Record<string, string>; volumes: string[] }>;
    };
    const known = new Set<string | undefined>(
      Object.values(SETTINGS).map((setting) => ("variable" in setting && setting.variable) || undefined),
    );
    const nodes = Object.entries(services).filter(([name]) => name !== "db");
    assert.equal(nodes.length, 3);
    for (const [name, { environment, volumes }] of nodes) {
      for (const variable of Object.keys(environment)) assert.ok(known.has(variable), variable);
      assert.equal(environment.PARLEY_NODE_ADDRESS, `http://${name}:7420`);
      assert.ok(environment.PARLEY_DATABASE && environment.PARLEY_TOKEN && environment.PARLEY_PLACE);
      assert.ok(volumes.includes("work:/work"));
    }
    assert.equal(new Set(nodes.map(([, { volumes }]) => volumes[0])).size, 3, "a data directory each");
  });

  test("its table has every setting of a node", () => {
    for (const setting of Object.values(SETTINGS)) {
      if ("group" in setting && setting.group === "Nodes:") {
        assert.ok(PAGE.includes(`| \`${setting.flag.split(" ")[0]}\` | \`${setting.variable}\` |`), setting.flag);
      }
    }
  });

  test("its table of numbers has those that a node tells", () => {
    const source = readFileSync(new URL("../../../src/server/cluster/metrics.ts", import.meta.url), "utf8");
    const told = new Set([...source.matchAll(/"(parley_\w+)"/g)].map(([, name]) => name));
    assert.deepEqual(new Set([...PAGE.matchAll(/^\| `(parley_\w+)`/gm)].map(([, name]) => name)), told);
  });
});
