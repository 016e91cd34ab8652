import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { greetingLines } from "../../src/cli/serve/greeting.ts";
import { Home } from "./support.ts";

const about = { url: "http://127.0.0.1:7420", token: null, dataDirectory: "/data" };

/** Whether a server begins a session in a directory. */
async function begins(home: Home, url: string, directory: string): Promise<number> {
  const token = readFileSync(join(home.dataDir, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ agent: "scripted", directory });
  const answer = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
  await answer.body?.cancel();
  return answer.status;
}

const elsewhere = realpathSync(tmpdir());

const cases: [name: string, args: (home: Home) => string[], env: Record<string, string>, status: number][] = [
  ["a loopback server works anywhere", () => [], {}, 201],
  ["a loopback server with --root works there only", (home) => ["--root", home.work], {}, 403],
  ["a server that others can reach works in its own directory only", () => ["--host", "0.0.0.0"], {}, 403],
  ["a list of no roots lifts nothing", () => ["--host", "0.0.0.0"], { PARLEY_ROOTS: "," }, 403],
  ["--root / allows all", () => ["--host", "0.0.0.0", "--root", "/"], {}, 201],
];

for (const [name, args, env, status] of cases) {
  test(name, async () => {
    await using home = new Home();
    const { line } = await home.serve(["--dir", home.work, ...args(home)], { env });
    assert.equal(await begins(home, line, elsewhere), status);
    assert.equal(await begins(home, line, home.work), 201);
  });
}

test("a file names roots from where it stands, and a project that is not trusted names none", async () => {
  await using home = new Home();

  home.write("work/parley.jsonc", '{ "roots": ["/"] }');
  home.configure({ roots: ["~"] });
  const { line } = await home.serve(["--dir", home.work]);
  assert.equal(await begins(home, line, home.work), 201);
  assert.equal(await begins(home, line, elsewhere), 403);
});

test("a root that is not there ends the start with 2, and names it", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["serve", "--port", "0", "--root", "/no/such/place"]);
  assert.equal(code, 2);
  assert.match(stderr, /roots \(--root, PARLEY_ROOTS\): there is no directory \/no\/such\/place/);
});

test("the start of a server tells its roots", () => {
  assert.match(
    greetingLines({ ...about, roots: ["/a", "/b"] }).join("\n"),
    /roots {3}\/a, \/b; .*--root \/ allows all/,
  );
  assert.doesNotMatch(greetingLines({ ...about, roots: [] }).join("\n"), /roots/);
});

test("the first prompt that serve suggests does not touch the directory that it was started in", () => {
  const next = (roots: string[]): string =>
    greetingLines({ ...about, roots })
      .join("\n")
      .split("  next ")[1] ?? "";
  const [making = "", running = "", opening = ""] = next([]).split("\n");
  const directory = join(tmpdir(), "try");
  assert.equal(making.trim(), `mkdir -p ${directory} && echo "# Hi" > ${directory}/README.md`);
  assert.ok(running.endsWith(` run --dir ${directory} "Read README.md and add a line at the end"`), running);
  assert.ok(opening.endsWith(` opencode ${directory}`), opening);
  assert.match(next(["/a b", "/c"]), / opencode '\/a b'\n/);
  assert.match(next(["/a b", "/c"]), / run --dir '\/a b' "What is in this directory\?"\n/);
});
