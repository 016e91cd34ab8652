import { shownSettings, trustCommand } from "../../core/trust.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { findProgram } from "../../host/find-program.ts";
import type { Agent, AgentCapabilities, AgentSession, OpenOptions, Project } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import type { Discoverer } from "./discovery/discover.ts";
import type { Peer } from "./handshake.ts";
import type { AcpAgentOptions, ProgramSearch } from "./options.ts";
import { ToldFacts } from "./told-facts.ts";

export type { AcpAgentOptions, Argv, FoundProgram, ProgramSearch } from "./options.ts";

async function searchFor(options: AcpAgentOptions): Promise<ProgramSearch> {
  const { argv, env } = options;
  if (typeof argv === "function") return argv();
  const [program, ...args] = argv;
  const path = await findProgram(program, env?.PATH ?? process.env.PATH);
  if (path === undefined) return { missing: `no program ${program} was found: install it, or correct its path` };
  return { argv: [path, ...args], detail: [path, ...args].join(" ") };
}

/** The abilities that a program tells of itself. Until then a copy may be tried, and servers of any kind. */
function abilitiesOf(peer: Pick<Peer, "canFork" | "mcp"> | undefined): AgentCapabilities {
  const fork = peer?.canFork === false ? {} : { fork: "native" as const };
  const mcp = peer
    ? { mcp: peer.mcp }
    : { mcp: ["stdio", "http", "sse"] as const, mcpUnsure: ["http", "sse"] as const };
  return { ...fork, compact: true, ...mcp };
}

/** Any program that speaks the Agent Client Protocol. Nothing of the adapter is loaded before it is asked for. */
export function createAcpAgent(options: AcpAgentOptions): Agent {
  const { name, title = name, env = {}, host, readyMs, login, projectSettings } = options;
  const told = new ToldFacts();
  /** As its program told it last. */
  let known: Peer | undefined;
  let looking: Promise<Discoverer> | undefined;

  const onPeer = (peer: Peer): void => {
    known = peer;
  };
  const discoverer = (): Promise<Discoverer> => {
    looking ??= import("./discovery/discover.ts").then(
      ({ Discoverer }) => new Discoverer({ ...options, title, search: () => searchFor(options), onPeer }),
    );
    return looking;
  };
  const assertHarmless = async ({ directory, trusted }: Project): Promise<void> => {
    const settings = trusted ? [] : ((await projectSettings?.(directory)) ?? []);
    if (settings.length === 0) return;
    throw new SpawnFailed(
      `it would run what a directory that is not trusted names: ${shownSettings(settings)}. Look at them, then run "${trustCommand(directory)}", or use another agent`,
      { argv: [name], directory },
    );
  };
  const load = async (open: OpenOptions): Promise<(open: OpenOptions) => AgentSession> => {
    const [{ AcpSession }, found] = await Promise.all([
      import("./session.ts"),
      searchFor(options),
      assertHarmless(open),
    ]);
    const { directory } = open;
    if ("missing" in found) throw new SpawnFailed(found.missing, { argv: [name], directory });
    const session = { host, found, env, title, login, readyMs, onPeer, told: told.from(directory) };
    return (open) => new AcpSession(session, open);
  };
  return {
    name,
    get capabilities() {
      return abilitiesOf(known);
    },
    discoversProjects: true,
    async discover(project) {
      // A program of the project is run by nobody's look before the directory is trusted.
      const own = project && !project.trusted ? (options.ownProgram?.(project.directory) ?? []) : [];
      if (project && own.length > 0) {
        const detail = `${shownSettings(own)} is a program of this directory, which is not trusted: "${trustCommand(project.directory)}"`;
        const facts = { title, installed: true, detail, credentials: "unknown" as const };
        return told.within(project.directory, { ...facts, models: options.models ?? [], modes: [] });
      }
      const found = await (await discoverer()).discover();
      return project ? told.within(project.directory, found) : found;
    },
    async sessions(project) {
      await assertHarmless(project);
      return (await discoverer()).sessions(project);
    },
    async fork(project, resume) {
      await assertHarmless(project);
      return (await discoverer()).fork(project, resume);
    },
    ...(projectSettings
      ? {
          projectSettings: async (directory) =>
            (await projectSettings(directory)).map((setting) => ({ ...setting, stopsAgent: true })),
        }
      : {}),
    open: (open) => openLazily(open, () => load(open), ["steer", "compact", "decide"]),
  };
}
