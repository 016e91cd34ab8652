import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, globSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Home } from "../support.ts";

const PIECE = 8;

/** Unique secrets, planted in every place. */
class Secrets {
  readonly #all: string[] = [];

  make(): string {
    const secret = `k${randomBytes(24).toString("hex")}`;
    this.#all.push(secret);
    return secret;
  }

  /** A token that ends at a time in seconds. */
  jwt(exp: number): string {
    const body = Buffer.from(JSON.stringify({ exp, sub: this.make() })).toString("base64url");
    const token = `h.${body}.${this.make()}`;
    this.#all.push(body);
    return token;
  }

  /** Fails where a text holds a secret, or a piece of one. */
  absentIn(where: string, shown: string): void {
    for (const secret of this.#all) {
      for (let at = 0; at + PIECE <= secret.length; at++) {
        const piece = secret.slice(at, at + PIECE);
        assert.ok(!shown.includes(piece), `${where} shows a piece of a secret`);
      }
    }
  }
}

const VARIABLES = [
  ...["ANTHROPIC_API_KEY", "CLAUDE_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  ...["OPENAI_API_KEY", "CODEX_API_KEY", "GROQ_API_KEY", "LOCAL_KEY"],
];

/** A home with a secret in every place; broken ones where asked for. */
function planted(secrets: Secrets, broken: boolean): { home: Home; env: Record<string, string> } {
  const home = new Home();
  const s = (): string => secrets.make();
  const put = (path: string, value: object): void => {
    const whole = JSON.stringify(value);
    chmodSync(home.write(path, broken ? whole.slice(0, -1) : whole), 0o644);
  };
  put(".claude/settings.json", { apiKeyHelper: `echo ${s()}`, env: { ANTHROPIC_API_KEY: s() } });
  put(".claude/.credentials.json", { claudeAiOauth: { accessToken: s(), refreshToken: s(), expiresAt: 9e12 } });
  put(".claude.json", { primaryApiKey: s(), apiKey: s() });
  put(".codex/auth.json", { OPENAI_API_KEY: s(), tokens: { access_token: secrets.jwt(9e9), refresh_token: s() } });
  const store = (): object => ({
    groq: { type: "api", key: s() },
    anthropic: { type: "oauth", access: s(), refresh: s(), expires: 1 },
    "https://a.example": { type: "wellknown", key: "T", token: s() },
    odd: { type: "newer", key: s() },
    [s()]: { type: "api" },
    wrong: s(),
  });
  put("data/opencode/auth.json", store());
  const endpoints = { local: { url: "http://127.0.0.1:9", keyVariable: "LOCAL_KEY", models: [{ id: "m" }] } };
  home.configure({ house: { endpoints } });
  const env: Record<string, string> = { PARLEY_HOUSE_CREDENTIALS: "found" };
  for (const name of VARIABLES) env[name] = s();
  env.OPENCODE_AUTH_CONTENT = JSON.stringify(store()).slice(0, broken ? -1 : undefined);
  return { home, env };
}

const COMMANDS = [
  ["credentials"],
  ["credentials", "--json"],
  ["credentials", "--export"],
  ["credentials", "--export", "nosuch", "--to-pipe"],
  ["credentials", "--nosuch"],
  ["doctor"],
  ["doctor", "--json"],
  ["agents"],
  ["agents", "--json"],
];

for (const broken of [false, true]) {
  test(`no command shows a piece of a secret${broken ? " of a broken file" : ""}`, async () => {
    const secrets = new Secrets();
    const { home, env } = planted(secrets, broken);
    await using _ = home;
    for (const args of COMMANDS) {
      const { stdout, stderr } = await home.run(args, { env });
      assert.notEqual(stdout + stderr, "");
      secrets.absentIn(args.join(" "), stdout + stderr);
    }
    // The test would notice one.
    const { stdout } = await home.run(["credentials", "--export", "anthropic", "--to-pipe"], { env });
    assert.throws(() => secrets.absentIn("an export", stdout), /shows a piece/);
  });
}

const PATHS = [
  "/v1/agents",
  "/v1/agents/house",
  "/v1/agents/claude",
  "/provider",
  "/config/providers",
  "/config",
  "/agent",
];

test("no API and no log shows a piece of a secret", async () => {
  const secrets = new Secrets();
  const { home, env } = planted(secrets, false);
  await using _ = home;
  const { child, line: url } = await home.serve(["--log-level", "debug"], { env });
  const log = text(child.stderr ?? assert.fail("no stderr"));
  const authorization = `Bearer ${readFileSync(join(home.dataDir, "token"), "utf8").trim()}`;
  for (const path of PATHS) {
    const response = await fetch(`${url}${path}`, { headers: { authorization } });
    assert.equal(response.status, 200, path);
    secrets.absentIn(path, await response.text());
  }
  child.kill("SIGTERM");
  const shown = await log;
  assert.match(shown, /v1\/agents/);
  secrets.absentIn("the log", shown);
});

test("the house agent takes a key of another program where the user says so, and keeps it to itself", async () => {
  const secrets = new Secrets();
  await using home = new Home();
  const key = secrets.make();
  chmodSync(home.write(".claude.json", JSON.stringify({ primaryApiKey: key })), 0o600);
  chmodSync(home.write(".codex/auth.json", JSON.stringify({ tokens: { access_token: secrets.make() } })), 0o600);
  const sent: (string | string[] | undefined)[] = [];
  const provider = createServer((request, response) => {
    sent.push(request.headers["x-api-key"]);
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  try {
    const ANTHROPIC_BASE_URL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const models = async (more: Record<string, string>): Promise<string[]> => {
      const { stdout } = await home.run(["agents", "--json"], { env: { ANTHROPIC_BASE_URL, ...more } });
      const agents = JSON.parse(stdout) as { name: string; models: { id: string }[] }[];
      const ids = agents.find(({ name }) => name === "house")?.models.map(({ id }) => id.split("/")[0] ?? "");
      return [...new Set(ids)];
    };
    assert.deepEqual(await models({}), ["scripted"]);
    const found = { PARLEY_HOUSE_CREDENTIALS: "found" };
    // A login is no key: there are no models of OpenAI.
    assert.deepEqual(await models(found), ["anthropic", "scripted"]);
    const env = { ANTHROPIC_BASE_URL, PARLEY_AGENT: "house", ...found };
    const { code, stdout, stderr } = await home.run(["run", "hello"], { env });
    assert.equal(code, 1, stderr);
    assert.deepEqual([...new Set(sent)], [key]);
    secrets.absentIn("run", stdout + stderr);
    for (const name of globSync("**", { cwd: home.dataDir })) {
      const file = join(home.dataDir, name);
      if (statSync(file).isFile()) secrets.absentIn(name, readFileSync(file, "latin1"));
    }
  } finally {
    provider.close();
    provider.closeAllConnections();
  }
});

test("a project cannot have keys of other programs used", async () => {
  await using home = new Home();
  home.write("work/parley.jsonc", '{ "houseCredentials": "found" }');
  await home.run(["trust"]);
  const { stderr } = await home.run(["credentials"]);
  assert.match(stderr, /"houseCredentials" was ignored: only the user says/);
});
