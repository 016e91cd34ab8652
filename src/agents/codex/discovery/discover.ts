import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import { type CredentialPlace, findCredential } from "../../../credentials/find.ts";
import type { ProcessHost } from "../../../host/contract.ts";
import type { FoundBinary } from "../../../install/find.ts";
import type { AgentModel, Discovery, NativeSession, Project } from "../../contract.ts";
import { effortOption } from "../../effort.ts";
import { KeptDiscovery } from "../../kept-discovery.ts";
import { findCodex, type Place } from "../find-program.ts";
import { serverSpec } from "../launch.ts";
import { MODES } from "../modes.ts";
import type { Probed } from "./probe.ts";
import { isTooOld, tooOld, UPDATE } from "./versions.ts";

const LIMIT_MS = 20_000;
const MOST_SESSIONS = 100;

const NAMES = { title: "Codex", login: 'run "codex login"' } as const;

export interface DiscoverOptions extends Place {
  host: ProcessHost;
  /** Added to the environment in which the program runs. */
  extra: Readonly<Record<string, string | undefined>>;
  limitMs?: number;
  now?: () => number;
}

export function modelOf(told: Fields): AgentModel[] {
  const id = textIn(told, "model") ?? textIn(told, "id");
  if (id === undefined) return [];
  const levels = listIn(told, "supportedReasoningEfforts").flatMap((one) => textIn(one, "reasoningEffort") ?? []);
  const { inputModalities: kinds } = told;
  const images = Array.isArray(kinds) ? kinds.includes("image") : undefined;
  const options = effortOption(levels);
  const facts = present({ name: textIn(told, "displayName"), images });
  return [{ id, ...facts, reasoning: levels.length > 0, ...(options.length > 0 ? { options } : {}) }];
}

/** The models of the program's list, and the one of the configuration where the list does not have it. */
export function modelsOf({
  models,
  config,
}: Pick<Probed, "models" | "config">): Pick<Discovery, "models" | "defaultModel"> {
  const listed = models.flatMap(modelOf);
  const chosen = textIn(config, "model");
  const usual = models.find((one) => one.isDefault === true);
  const own = chosen !== undefined && !listed.some(({ id }) => id === chosen) ? [{ id: chosen }] : [];
  const defaultModel = chosen ?? textIn(usual ?? {}, "model");
  return { models: [...own, ...listed], ...present({ defaultModel }) };
}

function credentialsOf({ account }: Probed, place: CredentialPlace | undefined): Discovery["credentials"] {
  if (isFields(account.account)) return "found";
  if (account.requiresOpenaiAuth === false) return place ? "found" : "not_needed";
  return "missing";
}

function loginText(probed: Probed, place: CredentialPlace | undefined): string {
  const kind = textIn(fieldsIn(probed.account, "account"), "type");
  const provider = textIn(probed.config, "model_provider");
  const by = kind === undefined ? undefined : `logged in by ${kind}`;
  const own = provider === undefined ? undefined : `the provider ${provider} of its configuration`;
  const held = place && `credentials in ${place.name}`;
  const said = [by, probed.account.requiresOpenaiAuth === false ? own : undefined, held].filter((one) => one);
  return said.length === 0 ? `not logged in: ${NAMES.login}` : said.join(", ");
}

/** Finds out about Codex on this machine. Answers are kept: each costs a start of the program. */
export class Discoverer {
  readonly #options: DiscoverOptions;
  readonly #kept: KeptDiscovery;

  constructor(options: DiscoverOptions) {
    this.#options = options;
    this.#kept = new KeptDiscovery((found) => this.#ask(found), options.now);
  }

  async discover(): Promise<Discovery> {
    const found = await findCodex(this.#options);
    if ("missing" in found)
      return { ...NAMES, installed: false, detail: found.missing, credentials: "unknown", models: [], modes: MODES };
    return this.#kept.discover(found);
  }

  /** The program's own sessions of a directory. */
  async sessions({ directory, trusted }: Project): Promise<NativeSession[]> {
    const found = await findCodex(this.#options);
    if ("missing" in found) return [];
    const { host, extra, limitMs = LIMIT_MS } = this.#options;
    const spec = serverSpec({ program: found.path, env: extra }, "discovery", trusted);
    const { withProgram } = await import("./probe.ts");
    const params = { cwd: directory, limit: MOST_SESSIONS, sortKey: "updated_at" };
    const { value } = await withProgram(host, spec, limitMs, (rpc) => rpc.ask("thread/list", params));
    return listIn(value?.result ?? {}, "data").flatMap(nativeSession);
  }

  async #ask({ path, version }: FoundBinary): Promise<Discovery> {
    const { host, extra, env, limitMs = LIMIT_MS } = this.#options;
    const spec = serverSpec({ program: path, env: extra }, "discovery", false);
    const { probe } = await import("./probe.ts");
    const { value, error } = await probe(host, spec, limitMs);
    const place = findCredential("codex", env);
    const known = version ?? value?.version;
    const facts = { ...NAMES, installed: true, ...present({ version: known }), modes: MODES, otherModels: true };
    if (isTooOld(known)) {
      const detail = `${path}; ${tooOld(known)}`;
      return { ...facts, login: UPDATE, detail, credentials: "missing", models: [] };
    }
    if (!value) {
      const detail = `${path}; it does not answer: ${error ?? "no reason was given"}`;
      return { ...facts, detail, credentials: "unknown", models: [] };
    }
    const detail = `${path}; ${loginText(value, place)}`;
    return { ...facts, detail, credentials: credentialsOf(value, place), ...modelsOf(value) };
  }
}

function nativeSession(thread: Fields): NativeSession[] {
  const id = textIn(thread, "id");
  const updated = numberIn(thread, "updatedAt");
  const title = textIn(thread, "name") || textIn(thread, "preview") || undefined;
  return id === undefined ? [] : [{ id, ...present({ title, updated: updated && updated * 1000 }) }];
}
