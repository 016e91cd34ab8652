import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { greetingLines } from "../../src/cli/serve/greeting.ts";
import { firstLine, Home } from "./support.ts";

const PROXIED = "https://parley.example";

describe("serve --advertise", () => {
  test("clients are told the address, and commands of this machine use the one that is bound", async () => {
    await using home = new Home();
    const child = home.start(["serve", "--port", "0", "--json", "--advertise", `${PROXIED}/`]);
    const { url, bound, token } = JSON.parse(await firstLine(child)) as Record<string, string>;
    assert.equal(url, PROXIED);
    assert.match(bound ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { authorization: `Bearer ${token}` };
    const document = (await (await fetch(`${bound}/openapi.json`, { headers })).json()) as { servers: unknown };
    assert.deepEqual(document.servers, [{ url: PROXIED }]);
    const link = await home.run(["console", "--print"]);
    assert.match(link.stdout, /^https:\/\/parley\.example\/console\/#enter=[\w-]+\n$/);
    const run = await home.run(["run", "hello"]);
    assert.equal(run.code, 0, run.stderr);
    const list = await home.run(["sessions", "--json"]);
    assert.equal((JSON.parse(list.stdout) as unknown[]).length, 1);
  });

  test("the variable and the first line for people", async () => {
    await using home = new Home();
    const { line } = await home.serve([], { env: { PARLEY_ADVERTISE: "http://parley.example:8080" } });
    assert.equal(line, "http://parley.example:8080");
  });

  test("a server of a command's own is told of to nobody", async () => {
    await using home = new Home();
    home.configure({ advertise: PROXIED });
    const { code, stderr } = await home.run(["run", "hello"]);
    assert.equal(code, 0, stderr);
  });

  test("the greeting shows both addresses", () => {
    const greeting = { url: PROXIED, token: "t", tokenFile: "/d/token", dataDirectory: "/d", roots: ["/w"] };
    const lines = greetingLines({ ...greeting, bound: "http://127.0.0.1:7420" }).join("\n");
    assert.match(lines, /^ {2}bound {3}http:\/\/127\.0\.0\.1:7420, which clients reach as https:\/\/parley\.example$/m);
    assert.match(lines, /opencode attach https:\/\/parley\.example$/m);
    assert.doesNotMatch(greetingLines(greeting).join("\n"), /bound/);
  });

  for (const bad of ["parley.example", "https://parley.example/prefix", "ftp://x", "https://u:p@x", ""]) {
    test(`"${bad}" is refused with what was expected`, async () => {
      await using home = new Home();
      const { code, stderr } = await home.run(["serve", "--port", "0", "--advertise", bad]);
      assert.equal(code, 2);
      assert.match(stderr, /--advertise.*an http or https address without a path, such as https:\/\/parley\.example/s);
    });
  }

  test("it does not go with --insecure-no-auth", async () => {
    await using home = new Home();
    const { code, stderr } = await home.run(["serve", "--port", "0", "--insecure-no-auth", "--advertise", PROXIED]);
    assert.equal(code, 2);
    assert.match(stderr, /refusing to be reached as https:\/\/parley\.example without a token/);
  });

  test("others can reach it, so sessions are limited to the directory", async () => {
    await using home = new Home();
    const child = home.start(["serve", "--port", "0", "--json", "--advertise", PROXIED]);
    const { bound, token } = JSON.parse(await firstLine(child)) as Record<string, string>;
    const answer = await fetch(`${bound}/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ directory: home.root }),
    });
    assert.equal(answer.status, 403);
  });
});
