import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import type { Entry } from "../../src/credentials/contract.ts";
import { jwtEnd } from "../../src/credentials/jwt.ts";
import {
  type Parser,
  parseClaudeLogin,
  parseClaudeMain,
  parseClaudeSettings,
  parseCodex,
  parseOpenCode,
} from "../../src/credentials/parse.ts";

/** A token that says when it ends, in seconds. */
const jwt = (claims: object): string =>
  ["{}", JSON.stringify(claims), "sig"].map((part) => Buffer.from(part).toString("base64url")).join(".");

const told = ({ secret, ...rest }: Entry): object => ({ ...rest, ...(secret ? { secret: secret.reveal() } : {}) });

const key = (provider: string, secret: string): object => ({ provider, kind: "api key", secret });
const oauth = (provider: string, more: object): object => ({ provider, kind: "oauth", ...more });

const CASES: [name: string, parse: Parser, value: unknown, entries: object[] | undefined, odd?: string[]][] = [
  [
    "a login of Claude Code",
    parseClaudeLogin,
    { claudeAiOauth: { accessToken: "a", refreshToken: "r", expiresAt: 5 } },
    [oauth("anthropic", { secret: "a", expires: 5, renewable: true })],
  ],
  [
    "one that cannot be renewed",
    parseClaudeLogin,
    { claudeAiOauth: { accessToken: "a", refreshToken: "", expiresAt: 5 } },
    [oauth("anthropic", { secret: "a", expires: 5 })],
  ],
  [
    "one that ends at no time",
    parseClaudeLogin,
    { claudeAiOauth: { accessToken: "a", expiresAt: 1e300 } },
    [oauth("anthropic", { secret: "a" })],
  ],
  ["one without a token", parseClaudeLogin, { claudeAiOauth: { expiresAt: 5 } }, []],
  ["a login that is a list", parseClaudeLogin, { claudeAiOauth: ["x"] }, []],
  ["a key of Claude Code", parseClaudeMain, { primaryApiKey: "k", apiKey: "not read" }, [key("anthropic", "k")]],
  ["a blank key", parseClaudeMain, { primaryApiKey: "  " }, []],
  [
    "a helper and variables in settings",
    parseClaudeSettings,
    {
      apiKeyHelper: "x",
      env: { ANTHROPIC_API_KEY: "k", CLAUDE_API_KEY: "no", CLAUDE_CODE_USE_VERTEX: 1, O: { a: 1 } },
    },
    [{ provider: "anthropic", kind: "helper" }, key("anthropic", "k"), { provider: "google-vertex", kind: "cloud" }],
  ],
  ["settings without any", parseClaudeSettings, { env: ["x"], model: "opus" }, []],
  ["a key of Codex", parseCodex, { OPENAI_API_KEY: "k" }, [key("openai", "k")]],
  [
    "a login by ChatGPT, with its end",
    parseCodex,
    { OPENAI_API_KEY: null, tokens: { access_token: jwt({ exp: 7 }), refresh_token: "r" } },
    [oauth("openai", { secret: jwt({ exp: 7 }), expires: 7_000, renewable: true })],
  ],
  ["a login that was taken back", parseCodex, { OPENAI_API_KEY: null, tokens: null }, []],
  [
    "only the token that renews",
    parseCodex,
    { tokens: { refresh_token: "r" } },
    [oauth("openai", { renewable: true })],
  ],
  [
    "a key and a login: the mode says which counts",
    parseCodex,
    { auth_mode: "chatgpt", OPENAI_API_KEY: "k", tokens: { access_token: "a" } },
    [oauth("openai", { secret: "a" }), key("openai", "k")],
  ],
  [
    "entries of OpenCode",
    parseOpenCode,
    {
      groq: { type: "api", key: "g" },
      anthropic: { type: "oauth", access: "a", refresh: "r", expires: 9 },
      "github-copilot": { type: "oauth", access: "c", refresh: "", expires: 0 },
      "https://models.example": { type: "wellknown", key: "TOKEN", token: "w" },
    },
    [
      key("groq", "g"),
      oauth("anthropic", { secret: "a", expires: 9, renewable: true }),
      oauth("github-copilot", { secret: "c" }),
      { provider: "https://models.example", kind: "token", secret: "w" },
    ],
  ],
  [
    "entries of OpenCode in no known form",
    parseOpenCode,
    {
      a: { type: "api" },
      b: 3,
      c: { type: "new", key: "x" },
      "sk-a-key-in-the-wrong-place-0123456789": {},
      "e\u001b": {},
    },
    [],
    ["a", "b", "c", "one with a long name", "one with a long name"],
  ],
];

for (const [name, parse, value, entries, odd = []] of CASES) {
  test(`credentials are read: ${name}`, () => {
    const parsed = parse(JSON.stringify(value));
    assert.deepEqual(parsed?.entries.map(told), entries);
    assert.deepEqual(parsed?.odd, odd);
  });
}

const PARSERS = { parseClaudeLogin, parseClaudeMain, parseClaudeSettings, parseCodex, parseOpenCode };

for (const [name, parse] of Object.entries(PARSERS)) {
  test(`${name}: what is no JSON object is broken, and a mark at the beginning is none`, () => {
    for (const text of ["", "{", "[]", "3", "null", '"x"', "{'a':1}"]) assert.equal(parse(text), undefined, text);
    assert.deepEqual(parse("\ufeff{}"), { entries: [], odd: [] });
  });

  test(`${name}: no text makes it throw, and its ends can be shown`, () => {
    const check = (text: string): void => {
      for (const { expires } of parse(text)?.entries ?? []) {
        if (expires !== undefined) new Date(expires).toISOString();
      }
    };
    fc.assert(fc.property(fc.string({ unit: "binary" }), check));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => check(Buffer.from(bytes).toString("utf8"))));
    fc.assert(fc.property(fc.json(), check));
    const leaf = fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.constantFrom("api", "oauth", "wellknown"));
    const names = fc.constantFrom(
      ...["claudeAiOauth", "accessToken", "expiresAt", "primaryApiKey", "env", "ANTHROPIC_API_KEY", "tokens"],
      ...["access_token", "OPENAI_API_KEY", "type", "key", "access", "refresh", "expires", "token", "__proto__"],
    );
    const nested = fc.dictionary(names, fc.oneof(leaf, fc.dictionary(names, leaf)));
    fc.assert(fc.property(nested, (value) => check(JSON.stringify(value))));
  });
}

test("the end of a token is read where it has one", () => {
  const rows: [token: string, end: number | undefined][] = [
    [jwt({ exp: 12 }), 12_000],
    [jwt({ exp: "12" }), undefined],
    [jwt({ exp: -1 }), undefined],
    [jwt({ exp: 1e300 }), undefined],
    [jwt({}), undefined],
    ["a.b", undefined],
    ["a.!!!.c", undefined],
    ["", undefined],
  ];
  for (const [token, end] of rows) assert.equal(jwtEnd(token), end, token);
  fc.assert(fc.property(fc.string(), (text) => jwtEnd(text) === undefined || true));
});

test("a secret is not shown by accident", () => {
  const [entry] = parseClaudeMain('{"primaryApiKey":"hidden-words"}')?.entries ?? [];
  for (const shown of [
    JSON.stringify(entry),
    inspect(entry, { depth: 9 }),
    `${entry?.secret}`,
    String(entry?.secret),
  ]) {
    assert.doesNotMatch(shown, /hidden|words/);
  }
  assert.equal(entry?.secret?.reveal(), "hidden-words");
});
