import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { surroundings as claudeSurroundings } from "../agents/claude/stage.ts";
import { startTui } from "../support/opencode/clients.ts";
import { MODEL } from "../support/opencode/native.ts";
import { FILES, SCRIPT } from "../support/opencode/script.ts";
import { Stage } from "../support/opencode/stage.ts";
import { startTarget } from "../support/opencode/target.ts";
import type { Tui } from "../support/opencode/tui.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const claude = await realAgent("claude");
const opencode = await realAgent("opencode");

/** A command that Claude Code has and nobody else. */
const CLAUDES = "/security-review";
const OF_CLAUDE = /Haiku[\s\S]*Claude Code/;
const ACCEPTS = /accept ?edits/i;

describe("OpenCode's terminal interface with the house agent and a slow Claude Code", {
  skip: claude.skip || opencode.skip,
  timeout: GROUP_MS,
}, () => {
  let stage: Stage;
  let tui: Tui;
  let go: string;
  const outer = { ...process.env };

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    go = join(surroundings.root, "go");
    const wrapper = join(surroundings.root, "claude");
    const wait = `while [ ! -e ${go} ] && [ -d ${surroundings.root} ]; do sleep 0.1; done`;
    writeFileSync(wrapper, `#!/bin/sh\n${wait}\nexec ${claude.program} "$@"\n`);
    chmodSync(wrapper, 0o755);
    const { HOME = "" } = surroundings.env({}, "claude-home");
    // A key would give models to the house agent, too.
    const login = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: "test" };
    const change = { ...claudeSurroundings(wrapper, HOME, model.url), ...login, IS_SANDBOX: "1" };
    for (const [name, value] of Object.entries(change))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    const directory = surroundings.project("project", FILES);
    const { url, token } = await startTarget(stage, opencode.program ?? "", directory);
    tui = startTui({ program: opencode.program ?? "", surroundings, url, password: token, directory });
    stage.after(() => tui.close());
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor(MODEL.name);
  });
  after(async () => {
    await stage[Symbol.asyncDispose]();
    for (const name of Object.keys(process.env)) if (!(name in outer)) delete process.env[name];
    Object.assign(process.env, outer);
  });

  /** The lines of the slash menu for the first letters of a command. */
  async function menu(letters: string, wanted: string): Promise<string> {
    tui.type(letters);
    const screen = await tui.waitFor(wanted);
    tui.press("ctrl+u");
    await tui.waitUntilGone(wanted);
    return screen;
  }

  async function command(name: string, shows: string): Promise<void> {
    tui.type(`/${name}`);
    await tui.waitFor(`/${name}`);
    tui.press("enter");
    await tui.waitFor(shows);
  }

  /** Opens the list of models, and looks for a name in it. */
  async function findModel(name: string, shows: string | RegExp): Promise<void> {
    await command("models", "Select model");
    tui.type(name);
    await tui.waitFor(shows);
  }

  async function chooseModel(name: string, shows: string | RegExp): Promise<void> {
    await findModel(name, shows);
    tui.press("enter");
    await tui.waitUntilGone("Select model");
  }

  /** A model with several variants is followed by their list; its first is the model's own default. */
  async function chooseDefaultVariant(): Promise<void> {
    await tui.waitFor("Select variant");
    tui.press("enter");
    await tui.waitUntilGone("Select variant");
  }

  async function prompt(text: string): Promise<void> {
    tui.type(text);
    await tui.waitFor(text);
    tui.press("enter");
  }

  test("Claude Code appears when it has answered, and a prompt that is being typed stays", async () => {
    tui.type("half a sentence");
    await tui.waitFor("half a sentence");
    writeFileSync(go, "");
    tui.press("ctrl+p");
    await tui.waitFor("Switch model");
    tui.press("escape");
    // A screen is drawn in pieces: keys reach the prompt when the whole dialog is gone.
    await tui.waitUntilGone(/Switch (model|theme)|Install plugin|Stash prompt/);
    await tui.waitFor("half a sentence");
    tui.press("ctrl+u");
    await tui.waitUntilGone("half a sentence");
    await findModel("Haiku", OF_CLAUDE);
    tui.press("escape");
    await tui.waitUntilGone("Select model");
  });

  test("a house session is offered no command and no mode of Claude Code", async () => {
    await prompt("hello there");
    await tui.waitFor("You said: hello there");
    assert.ok(!(await menu("/re", "/review")).includes(CLAUDES));
    tui.press("tab");
    await tui.waitFor(/Plan\s+·/);
    tui.press("tab");
    await tui.waitFor(/Build\s+·/);
  });

  test("a session of Claude Code is offered its commands, and /compact once", async () => {
    await command("new", "Ask anything");
    await chooseModel("Haiku", OF_CLAUDE);
    await chooseDefaultVariant();
    await prompt("hello you");
    await tui.waitFor("You said: hello you", PATIENCE_MS);
    await menu("/secur", CLAUDES);
    const compact = await menu("/comp", "/compact");
    assert.equal(compact.match(/\/compact/g)?.length, 1);
  });

  test("a mode of Claude Code that comes with a model of another agent becomes the mode of that agent, in sight", async () => {
    tui.press("tab");
    await tui.waitFor(/Plan\s+·/);
    tui.press("tab");
    await tui.waitFor(ACCEPTS);
    await command("new", "Ask anything");
    await chooseModel(MODEL.name, MODEL.name);
    // Two agents have models of about that name. The mode is foreign to both, and those of one have variants.
    const shown = await tui.waitFor(/accept ?edits\s+·\s+Scripted [^\n]*(House|scripted)/i);
    if (/·\s+Scripted [^\n]*\sscripted/.test(shown)) await chooseDefaultVariant();
    await prompt("hello again");
    await tui.waitFor("acceptEdits is a mode of");
    await tui.waitFor("You said: hello again");
    await tui.waitFor(/Build\s+·\s+Scripted/);
    assert.ok(!(await menu("/re", "/review")).includes(CLAUDES), "another agent worked here last");
  });
});
