import { parseArgs } from "node:util";
import type { AgentInfo } from "../../client/index.ts";
import { withStore } from "../access/open-store.ts";
import type { Store } from "../access/store.ts";
import type { Settings } from "../config/settings.ts";
import { configure } from "../context.ts";
import { safeLine } from "../output/safe-text.ts";
import { age } from "../output/table.ts";
import { LOOKED_UP, type LookedUp } from "./tree.ts";

/** A value and, for shells that show it, what it is. */
type Value = readonly [value: string, description: string];

const NEWEST = 50;
/** Somebody has pressed Tab: a server that is leaving is not waited for. */
const AT_ONCE = { patienceMs: 0 };
const DESCRIBED = 60;

/** A value goes into a command line as it is: one that a shell could read as more than a word is not offered. */
const PLAIN = /^[\w@%+.,:/-]+$/;

async function sessions(settings: Settings): Promise<Value[]> {
  const listed = await withStore(settings, (store) => store.list({ limit: NEWEST }), AT_ONCE);
  return listed.map(({ id, title = "", agent, updated }) => [id, `${agent}, ${age(updated, Date.now())}: ${title}`]);
}

async function asks(settings: Settings): Promise<Value[]> {
  const open = (await withStore(settings, (store) => store.asks(), AT_ONCE)) ?? [];
  return open.map((ask) => {
    if (ask.kind === "question") return [ask.id, ask.request.questions.map(({ question }) => question).join(" ")];
    const { action, command, patterns } = ask.request;
    return [ask.id, `${action} ${command ?? patterns.join(" ")}`];
  });
}

async function nodes(settings: Settings): Promise<Value[]> {
  const listed = (await withStore(settings, (store) => store.nodes(), AT_ONCE)) ?? [];
  return listed.map(({ name, place, draining }) => [name, `${place}${draining ? ", draining" : ""}`]);
}

async function agents(settings: Settings): Promise<Value[]> {
  const { agentsOf } = await import("../access/offline-agents.ts");
  return [...agentsOf(settings).keys()].map((name) => [name, ""]);
}

/** The agent on the command line, else the configured one, else the one that a server would choose. */
async function agentOf(settings: Settings, name = settings.defaultAgent): Promise<Pick<AgentInfo, "models" | "modes">> {
  const look = async (store: Store): Promise<Pick<AgentInfo, "models" | "modes">> => {
    if (store.client && name !== undefined) return store.client.agent(name);
    const known = (await store.agents()).find((agent) => (name === undefined ? agent.default : agent.name === name));
    return known ?? { models: [], modes: [] };
  };
  return withStore(settings, look, AT_ONCE);
}

async function valuesOf(what: LookedUp, settings: Settings, agent: string | undefined): Promise<Value[]> {
  switch (what) {
    case "agents":
      return agents(settings);
    case "sessions":
      return sessions(settings);
    case "asks":
      return asks(settings);
    case "nodes":
      return nodes(settings);
    default:
      return (await agentOf(settings, agent))[what].map(({ id, name = "" }) => [id, name]);
  }
}

/** Prints what a shell may offer, a line each. A shell's prompt is no place for errors: on a failure it prints nothing. */
export async function printValues([what, ...line]: readonly string[]): Promise<void> {
  const wanted = LOOKED_UP.find((one) => one === what);
  if (wanted === undefined) return;
  try {
    const options = { agent: { type: "string" }, "data-dir": { type: "string" } } as const;
    const { agent, "data-dir": dataDir } = parseArgs({ args: line, options, strict: false }).values;
    const { settings } = await configure(typeof dataDir === "string" ? { dataDir } : {});
    const values = await valuesOf(wanted, settings, typeof agent === "string" ? agent : undefined);
    const lines = values
      .filter(([value]) => PLAIN.test(value))
      .map(([value, more]) => `${value}\t${safeLine(more, DESCRIBED)}\n`);
    process.stdout.write(lines.join(""));
  } catch {
    // Nothing can be offered.
  }
}
