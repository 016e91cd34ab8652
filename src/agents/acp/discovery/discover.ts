import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstBy } from "../../../core/entries.ts";
import { messageOf } from "../../../core/errors.ts";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../../core/json/fields.ts";
import { within } from "../../../core/within.ts";
import { type AgentCommand, type Discovery, type NativeSession, type Project, ResumeLost } from "../../contract.ts";
import { KeptDiscovery } from "../../kept-discovery.ts";
import { loginWords } from "../auth.ts";
import { type Choices, choicesOf, modelsOf, modesOf, optionsOf } from "../choices.ts";
import { errorWords } from "../decode/decoder.ts";
import { commandsOf } from "../decode/facts.ts";
import type { Peer } from "../handshake.ts";
import { programSpec } from "../launch.ts";
import { isLost } from "../open-session.ts";
import type { AcpAgentOptions, FoundProgram, ProgramSearch } from "../options.ts";
import { AUTH_REQUIRED, type Rpc } from "../rpc.ts";
import { type Probing, withProgram } from "./probe.ts";

const LIMIT_MS = 60_000;
/** Commands are told shortly after the session is open. */
const COMMANDS_MS = 1_000;
const MOST_PAGES = 10;

export interface DiscovererOptions extends AcpAgentOptions {
  search(): Promise<ProgramSearch>;
  title: string;
  /** The program has said what it can do. */
  onPeer(peer: Peer): void;
}

interface Probed {
  peer: Peer;
  choices?: Choices;
  commands: AgentCommand[];
  /** Why it opens no session. */
  refused?: { missing: boolean; words: string };
}

/** `directory` is the empty one in which the program runs. */
interface Looking<T> extends Pick<Probing<T>, "onNotification"> {
  ask(rpc: Rpc, peer: Peer, directory: string): Promise<T>;
}

type Found = FoundProgram & { path: string };

/** Finds out about an agent by a start of its program in an empty directory. Answers are kept. */
export class Discoverer {
  readonly #options: DiscovererOptions;
  readonly #kept: KeptDiscovery<Found>;

  constructor(options: DiscovererOptions) {
    this.#options = options;
    const isKept = ({ credentials }: Discovery): boolean => credentials === "found";
    this.#kept = new KeptDiscovery((found) => this.#describe(found), Date.now, isKept);
  }

  async discover(): Promise<Discovery> {
    const { title, login, models = [] } = this.#options;
    const found = await this.#options.search();
    if (!("missing" in found)) return this.#kept.discover({ ...found, path: found.argv.join("\0") });
    const facts = { title, ...present({ login }), installed: false, detail: found.missing };
    return { ...facts, credentials: "unknown", models, modes: [] };
  }

  /** The program's own sessions of a directory, where it lists them. */
  async sessions({ directory }: Project): Promise<NativeSession[]> {
    const found = await this.#options.search();
    if ("missing" in found) return [];
    return this.#withProgram(found, {
      ask: (rpc, peer) => (peer.canList ? listSessions(rpc, directory) : noSessions()),
    });
  }

  /** Copies one of the program's own sessions. */
  async fork({ directory }: Project, resume: string): Promise<string> {
    const found = await this.#options.search();
    if ("missing" in found) throw new Error(found.missing);
    return this.#withProgram(found, {
      ask: async (rpc, peer) => {
        if (!peer.canFork) throw new Error(`${this.#options.title} does not copy its sessions`);
        const { result, error } = await rpc.ask("session/fork", { sessionId: resume, cwd: directory, mcpServers: [] });
        if (error) throw isLost(error) ? new ResumeLost(resume) : new Error(errorWords(error));
        const id = textIn(result, "sessionId");
        if (id === undefined) throw new Error("it told no id of the copy");
        return id;
      },
    });
  }

  async #withProgram<T>(found: FoundProgram, { ask, ...rest }: Looking<T>): Promise<T> {
    const { host, env = {}, readyMs = LIMIT_MS, onPeer } = this.#options;
    const place = await this.#place();
    const spec = programSpec({ found, env }, { directory: place.directory, session: "discovery", trusted: false });
    const asking: Probing<T>["ask"] = (rpc, peer) => {
      onPeer(peer);
      return ask(rpc, peer, place.directory);
    };
    try {
      return await withProgram(host, spec, readyMs, { ...rest, ask: asking });
    } finally {
      await place.remove();
    }
  }

  /** An empty directory. Programs remember directories, so it is the same one each time where Parley has a place for it. */
  async #place(): Promise<{ directory: string; remove(): Promise<void> }> {
    const { dataDirectory } = this.#options;
    if (dataDirectory === undefined) {
      const directory = await mkdtemp(join(tmpdir(), "parley-acp-"));
      return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
    }
    const directory = join(dataDirectory, "acp", "empty");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return { directory, remove: async () => {} };
  }

  async #probe(found: FoundProgram): Promise<Probed> {
    const { login } = this.#options;
    const told = Promise.withResolvers<AgentCommand[]>();
    const onNotification: Probing<Probed>["onNotification"] = ({ params }) => {
      const update = fieldsIn(params, "update");
      if (update.sessionUpdate === "available_commands_update") told.resolve(commandsOf(update));
    };
    return this.#withProgram(found, {
      onNotification,
      ask: async (rpc, peer, directory) => {
        const { result, error } = await rpc.ask("session/new", { cwd: directory, mcpServers: [] });
        if (error) {
          const missing = error.code === AUTH_REQUIRED;
          const words = missing
            ? loginWords(peer, login, errorWords(error))
            : `it opens no session: ${errorWords(error)}`;
          return { peer, commands: [], refused: { missing, words } };
        }
        if (!textIn(result, "sessionId")) {
          const words = "it opens no session: it told no id of one";
          return { peer, commands: [], refused: { missing: false, words } };
        }
        const commands = (await within(told.promise, COMMANDS_MS))?.value ?? [];
        await forget(rpc, peer, textIn(result, "sessionId"));
        return { peer, choices: choicesOf(result), commands };
      },
    });
  }

  async #describe(found: Found): Promise<Discovery> {
    const { title, login, models: listed = [] } = this.#options;
    const facts = { title, ...present({ login, version: found.version }), installed: true };
    const where = found.detail ?? found.argv.join(" ");
    try {
      const { peer, choices, commands, refused } = await this.#probe(found);
      const known = { ...facts, ...present({ version: found.version ?? peer.version }) };
      if (refused || !choices) {
        const credentials = refused?.missing ? "missing" : "unknown";
        return { ...known, detail: `${where}; ${refused?.words ?? ""}`, credentials, models: listed, modes: [] };
      }
      const models = modelsOf(choices);
      const current = choices.model?.current;
      const options = optionsOf(choices);
      return {
        ...known,
        detail: where,
        credentials: "found",
        models: models.length > 0 ? models : listed,
        ...(typeof current === "string" ? { defaultModel: current } : {}),
        ...(choices.model ? { otherModels: true } : {}),
        modes: firstBy(modesOf(choices), choices.mode?.current),
        ...(options.length > 0 ? { options } : {}),
        commands,
      };
    } catch (error) {
      const detail = `${where}; it does not answer: ${messageOf(error)}`;
      return { ...facts, detail, credentials: "unknown", models: listed, modes: [] };
    }
  }
}

/** A session that was opened for a look is not left in the program's list. */
async function forget(rpc: Rpc, { canDelete, canClose }: Peer, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined) return;
  if (canClose) await rpc.ask("session/close", { sessionId });
  if (canDelete) await rpc.ask("session/delete", { sessionId });
}

async function noSessions(): Promise<NativeSession[]> {
  return [];
}

function nativeSession(told: Fields): NativeSession[] {
  const id = textIn(told, "sessionId");
  const updated = Date.parse(textIn(told, "updatedAt") ?? "");
  const title = textIn(told, "title") || undefined;
  return id === undefined ? [] : [{ id, ...present({ title }), ...(Number.isNaN(updated) ? {} : { updated }) }];
}

async function listSessions(rpc: Rpc, directory: string): Promise<NativeSession[]> {
  const sessions: NativeSession[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { result, error } = await rpc.ask("session/list", { cwd: directory, ...present({ cursor }) });
    if (error) throw new Error(`it does not list its sessions: ${errorWords(error)}`);
    const own = listIn(result, "sessions").filter(({ cwd }) => cwd === undefined || cwd === directory);
    sessions.push(...own.flatMap(nativeSession));
    const next = textIn(result, "nextCursor");
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return sessions.sort((a, b) => (b.updated ?? 0) - (a.updated ?? 0));
}
