import { tmpdir } from "node:os";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../core/json/fields.ts";
import { within } from "../../core/within.ts";
import { type CredentialPlace, findCredential } from "../../credentials/find.ts";
import type { ProcessHost } from "../../host/contract.ts";
import type { FoundBinary } from "../../install/find.ts";
import type { AgentCommand, AgentModel, Discovery } from "../contract.ts";
import { effortOption } from "../effort.ts";
import { FRESH_MS, KeptDiscovery } from "../kept-discovery.ts";
import { findClaude, type Place } from "./find-program.ts";
import { authSpec, probeSpec } from "./launch.ts";
import { MODES } from "./modes.ts";
import type { Probed } from "./probe.ts";

const LIMIT_MS = 20_000;
const MILLION = 1_000_000;

const NAMES = { title: "Claude Code", login: 'run "claude auth login", or set ANTHROPIC_API_KEY' } as const;

export interface DiscoverOptions extends Place {
  host: ProcessHost;
  /** Added to the environment in which the program runs. */
  extra: Readonly<Record<string, string | undefined>>;
  limitMs?: number;
  now?: () => number;
}

export function modelsOf(initialized: Fields): AgentModel[] {
  return listIn(initialized, "models").flatMap((model) => {
    const id = textIn(model, "value");
    if (id === undefined) return [];
    const large = `${id} ${textIn(model, "resolvedModel")}`.includes("[1m]");
    const facts = present({ name: textIn(model, "displayName"), context: large ? MILLION : undefined });
    const { supportedEffortLevels: levels } = model;
    const effort = effortOption(Array.isArray(levels) ? levels.map(String) : []);
    const options = effort.length === 0 ? {} : { options: effort };
    return [{ id, ...facts, images: true, reasoning: model.supportsAdaptiveThinking === true, ...options }];
  });
}

/** The commands for people: a name that begins with `_` is one that the program's maker starts itself. */
function commandsOf(initialized: Fields): AgentCommand[] {
  return listIn(initialized, "commands").flatMap((command) => {
    const name = textIn(command, "name");
    const hint = textIn(command, "argumentHint") || undefined;
    return name === undefined || name.startsWith("_")
      ? []
      : [{ name, ...present({ description: textIn(command, "description"), hint }) }];
  });
}

function loginText(login: Fields | undefined, place: CredentialPlace | undefined): string {
  if (place) return `credentials in ${place.name}${place.expired ? ", expired" : ""}`;
  const by = login?.loggedIn === true ? textIn(login, "authMethod") : undefined;
  return by === undefined ? `not logged in: ${NAMES.login}` : `logged in by ${by}`;
}

function silentText(limitMs: number): string {
  return `it did not tell its models within ${limitMs / 1_000} s, and may do so with its first session`;
}

function credentialsOf(login: Fields | undefined, place: CredentialPlace | undefined): Discovery["credentials"] {
  if (login?.loggedIn === true) return "found";
  if (login?.loggedIn === false) return "missing";
  return place ? "found" : "unknown";
}

/** The program says in its answer to `initialize` whose account it uses, or that it has none. A login that is over is for the program to judge. */
function loginIn({ initialized }: Probed, place: CredentialPlace | undefined): Fields | undefined {
  const account = fieldsIn(initialized, "account");
  const [token, key, provider] = ["tokenSource", "apiKeySource", "apiProvider"].map((name) => textIn(account, name));
  const by = [token === "none" ? undefined : token, key, provider === "firstParty" ? undefined : provider];
  const authMethod = by.find((one) => one !== undefined);
  return authMethod === undefined || place?.expired ? undefined : { loggedIn: true, authMethod };
}

/** The program at a path has told this of itself. */
export type Told = Probed & { path: string };

/** Finds out about Claude Code on this machine. Answers are kept: each costs two starts of a large program. */
export class Discoverer {
  readonly #options: DiscoverOptions;
  readonly #kept: KeptDiscovery;
  #told: Told | undefined;
  #toldAt = 0;
  /** The newest session that starts: what its program tells of itself, or undefined if that fails. */
  #starting: Promise<Told | undefined> | undefined;

  constructor(options: DiscoverOptions) {
    this.#options = options;
    this.#kept = new KeptDiscovery((found) => this.#ask(found), options.now);
  }

  async discover(): Promise<Discovery> {
    const found = await findClaude(this.#options);
    if ("missing" in found)
      return { ...NAMES, installed: false, detail: found.missing, credentials: "unknown", models: [], modes: MODES };
    return this.#kept.discover(found);
  }

  /** A session asks the same when it starts: its answer is as good, and is waited for in place of one more start. */
  expect(starting: Promise<Told | undefined>): void {
    this.#starting = starting;
    void starting.then((told) => {
      if (told) this.#toldAt = this.#now();
      if (told) this.#told = told;
      if (this.#starting === starting) this.#starting = undefined;
    });
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  async #ask({ path, version }: FoundBinary): Promise<Discovery> {
    const { host, extra, env, limitMs = LIMIT_MS } = this.#options;
    const launch = { program: path, env: extra };
    const directory = tmpdir();
    if (this.#starting) await within(this.#starting, limitMs);
    const known = this.#told?.path === path ? this.#told : undefined;
    const isFresh = this.#now() - this.#toldAt <= FRESH_MS;
    const place = findCredential("claude", env);
    // Loaded when there is a program to ask: it brings the whole decoder.
    const { probe, readJson } = await import("./probe.ts");
    const [login, probed] = await Promise.all([
      (known && isFresh && loginIn(known, place)) || readJson(host, authSpec(launch, directory), limitMs),
      known ? undefined : probe(host, probeSpec(launch, directory), limitMs),
    ]);
    if (probed) this.#told = { path, ...probed };
    const told = this.#told?.path === path ? this.#told : undefined;
    const initialized = told?.initialized ?? {};
    return {
      ...NAMES,
      installed: true,
      ...present({ version: version ?? told?.version }),
      detail: [path, loginText(login, place), ...(told ? [] : [silentText(limitMs)])].join("; "),
      credentials: credentialsOf(login, place),
      models: modelsOf(initialized),
      otherModels: true,
      modes: MODES,
      commands: commandsOf(initialized),
    };
  }
}
