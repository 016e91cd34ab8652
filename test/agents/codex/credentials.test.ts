import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findCredential } from "../../../src/credentials/find.ts";

const PROVIDER = `
model_provider = "own"
[model_providers.other]
env_key = "OTHER_KEY"
[model_providers.own]
name = "Own"
env_key = "OWN_KEY"
`;

const CASES: [name: string, files: Record<string, string>, env: Record<string, string>, found: string | undefined][] = [
  ["nothing", {}, {}, undefined],
  ["a login by a key", { "auth.json": `{"OPENAI_API_KEY":"secret"}` }, {}, "auth.json"],
  [
    "a login by ChatGPT",
    { "auth.json": `{"OPENAI_API_KEY":null,"tokens":{"access_token":"secret"}}` },
    {},
    "auth.json",
  ],
  ["a login that was taken back", { "auth.json": `{"OPENAI_API_KEY":null,"tokens":null}` }, {}, undefined],
  ["a broken file", { "auth.json": `{"OPENAI_API_KEY":` }, {}, undefined],
  [
    "variables that the program's server does not use",
    {},
    { OPENAI_API_KEY: "secret", CODEX_API_KEY: "secret" },
    undefined,
  ],
  ["the variable of the configured provider", { "config.toml": PROVIDER }, { OWN_KEY: "secret" }, "OWN_KEY"],
  [
    "a provider in dotted names, with remarks",
    { "config.toml": `model_provider = 'own' # mine\nmodel_providers."own".env_key = "OWN_KEY"\n` },
    { OWN_KEY: "secret" },
    "OWN_KEY",
  ],
  ["a provider whose variable is not set", { "config.toml": PROVIDER }, {}, undefined],
  ["the variable of another provider", { "config.toml": PROVIDER }, { OTHER_KEY: "secret" }, undefined],
  [
    "a provider in a profile",
    { "config.toml": `[profiles.x]\nmodel_provider = "own"\n${PROVIDER.split("\n").slice(2).join("\n")}` },
    { OWN_KEY: "s" },
    undefined,
  ],
];

for (const [name, files, env, found] of CASES) {
  test(`credentials of Codex: ${name}`, (t) => {
    const home = mkdtempSync(join(tmpdir(), "parley-codex-home-"));
    t.after(() => rmSync(home, { recursive: true }));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text);
    const place = findCredential("codex", { CODEX_HOME: home, ...env });
    assert.equal(place?.name.replace(`${home}/`, ""), found);
    assert.ok(!JSON.stringify(place ?? {}).includes("secret"));
  });
}
