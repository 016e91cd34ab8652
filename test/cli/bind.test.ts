import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { Home } from "./support.ts";

const lan = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

const hosts = ["0.0.0.0", "::", "[::]", "::ffff:0.0.0.0", "0", "192.0.2.1", ...(lan ? [lan] : [])];

for (const host of hosts) {
  test(`${host} without auth refuses to start, exits with 2 and names the flag`, async () => {
    await using home = new Home();
    const { code, stdout, stderr } = await home.run(["serve", "--port", "0", "--host", host, "--insecure-no-auth"]);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /^parley: refusing to listen on .*--insecure-no-auth.*\n$/);
    assert.equal(existsSync(home.dataDir), false, "nothing was written");
  });
}

test("an address that comes from the environment is refused alike", async () => {
  await using home = new Home();
  const options = { env: { PARLEY_HOST: "0.0.0.0" } };
  assert.equal((await home.run(["serve", "--port", "0", "--insecure-no-auth"], options)).code, 2);
});

for (const host of ["127.0.0.1", "localhost"]) {
  test(`${host} without auth starts, and needs no token`, async () => {
    await using home = new Home();
    const { line } = await home.serve(["--host", host, "--insecure-no-auth"]);
    const answer = await fetch(`${line}/v1/agents`);
    await answer.body?.cancel();
    assert.equal(answer.status, 200);
  });
}

test("every address with a token starts, and needs it", async () => {
  await using home = new Home();
  const { line } = await home.serve(["--host", "0.0.0.0"]);
  const answer = await fetch(`${line}/v1/agents`);
  await answer.body?.cancel();
  assert.equal(answer.status, 401);
});
