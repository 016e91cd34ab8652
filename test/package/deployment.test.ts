import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../server/helpers.ts";
import { temporary } from "../support/server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The instructions of the Containerfile, continued lines joined. */
const instructions = read("Containerfile")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => ({ name: line.split(" ", 1)[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }));
const all = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ rest }) => rest);
const last = (name: string): string => all(name).at(-1) ?? "";
const copied = all("COPY")
  .filter((rest) => !rest.startsWith("--from="))
  .flatMap((rest) => rest.split(" ").slice(0, -1));

describe("the Containerfile", () => {
  test("copies paths that exist, that the builder may see, and all that the package is made of", () => {
    const seen = new Set(
      read(".dockerignore")
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)),
    );
    for (const path of copied) {
      assert.ok(existsSync(join(ROOT, path)), `${path} does not exist`);
      assert.ok(seen.has(path), `.dockerignore hides ${path}`);
    }
    const { files } = JSON.parse(read("package.json")) as { files: string[] };
    assert.deepEqual(
      files.filter((path) => path !== "dist" && !copied.includes(path)),
      [],
    );
    assert.deepEqual(
      [...seen].filter((path) => !copied.includes(path)),
      [],
    );
  });

  test("runs as an ordinary user under an init, with a volume for the data directory and a port", () => {
    assert.equal(last("USER"), "node");
    assert.deepEqual(JSON.parse(last("ENTRYPOINT")), ["tini", "--", "parley"]);
    assert.deepEqual(JSON.parse(last("CMD")), ["serve"]);
    assert.match(all("RUN").join("\n"), /apt-get install .*\btini\b/);
    assert.match(last("ENV"), /PARLEY_DATA_DIR=\/data\b/);
    assert.equal(last("VOLUME"), "/data");
    assert.match(last("ENV"), new RegExp(`PARLEY_PORT=${last("EXPOSE")}\\b`));
    assert.match(all("RUN").join("\n"), /chown node:node \/data \/work/);
  });

  test("its images are common ones of the Node that a checkout brings", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: { node: string } };
    const [major] = devDependencies.node.match(/\d+/) ?? [];
    for (const from of all("FROM")) assert.match(from, new RegExp(`^node:${major}-[a-z]+-slim( AS build)?$`));
  });

  test("its scripts and commands are those of the package", () => {
    const { name, scripts, bin } = JSON.parse(read("package.json")) as {
      name: string;
      scripts: Record<string, string>;
      bin: Record<string, string>;
    };
    assert.match(all("RUN").join("\n"), new RegExp(`/tmp/${name}-\\*\\.tgz`));
    assert.ok(scripts.prepack, "npm pack builds the package");
    assert.ok(bin.parley && all("RUN").join("\n").includes("/opt/parley/node_modules/.bin/parley"));
  });

  test("its health check succeeds on a server that is ready, and fails on another and on none", async () => {
    const [, command = ""] = last("HEALTHCHECK").split("CMD ");
    const [program, ...args] = JSON.parse(command) as string[];
    assert.equal(program, "node");
    // Not spawnSync: the server that is asked runs in this process.
    const check = async (port: number): Promise<number | null> => {
      const child = spawn(process.execPath, args, { env: { PARLEY_PORT: String(port) }, stdio: "ignore" });
      return new Promise((resolve) => child.once("exit", resolve));
    };
    await using ready = await startServer();
    assert.equal(await check(ready.port), 0);
    await using full = await startServer({ ready: () => Promise.reject(new Error("full")) });
    assert.equal(await check(full.port), 1);
    assert.equal(await check(1), 1);
  });
});

describe("the service of systemd", () => {
  const unit = read("docs/parley.service");
  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

  test("is one that systemd understands", { skip: !hasSystemd && "needs systemd-analyze" }, async (t) => {
    const file = join(await temporary(t), "parley.service");
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
    assert.deepEqual([status, stdout + stderr], [0, ""]);
  });

  test("runs as a user of its own without rights, and gives the server time to close", () => {
    for (const line of ["User=parley", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict"]) {
      assert.match(unit, new RegExp(`^${line}$`, "m"));
    }
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    // The server takes up to 10 s to let its agents go.
    assert.ok(Number(seconds) > 10);
    assert.match(unit, /^ExecStart=\S+\/parley serve /m);
  });
});
