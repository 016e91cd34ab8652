import type { Agent, Discovery, McpServer } from "../agents/contract.ts";
import { isParleyError, messageOf, ParleyError } from "../core/errors.ts";
import { promptKey } from "../core/events/keys.ts";
import type { OptionValues, Prompt, PromptPart } from "../core/events/values.ts";
import type { Create } from "../core/ledger/state.ts";
import type { Receipt } from "../core/receipt.ts";
import type { Facts, SessionState } from "../core/session-state.ts";
import { within } from "../core/within.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { assertPromptable } from "./checks.ts";
import type { KnownAgent } from "./commands/commands.ts";
import type { SlashCommand } from "./commands/slash-command.ts";
import type { GatewayOptions } from "./options.ts";
import { assertFilesInside } from "./prompt-files.ts";
import { repeatedReceipt, sha256Of } from "./receipt.ts";
import type { Wish } from "./revert/revert.ts";

/** A prompt of Parley's making. */
export type MadePrompt = Partial<Omit<Prompt, "parts">> & { parts: PromptPart[]; agent?: string };

export interface WorkOptions extends Pick<GatewayOptions, "log" | "processes" | "roots" | "trust" | "mcp"> {
  agents(): readonly string[];
  agent(name: string): Agent;
  /** The state of a session for a command: refused where this process does not own the session. */
  own(session: string): Promise<SessionState>;
  create(command: Create, mcpServers?: readonly McpServer[]): Promise<SessionState>;
  discover(agent: string, directory?: string): Promise<Discovery>;
  prompt(session: string, prompt: MadePrompt): Promise<Receipt>;
  /** Starts the agent of a session. Resolves with whether it is ready. */
  startAgent(session: string): Promise<boolean>;
  /** Changes facts of a session after work that needs the session idle. */
  whileIdle(session: string, work: () => Promise<{ facts: Facts; undo(): Promise<void> }>): Promise<void>;
  commitRevert(session: string): Promise<void>;
}

interface Asked {
  /** The prompt's id: the same id with the same request is one turn. */
  id?: string;
  agent?: string;
  model?: string;
  mode?: string;
  options?: OptionValues;
  attended?: boolean;
}

export interface ShellRequest extends Asked {
  command: string;
}

export interface CommandRequest extends Asked {
  command: string;
  /** The user's words after the command's name. */
  arguments: string;
  /** Further parts of the prompt that it becomes. */
  parts?: PromptPart[];
}

/** A list of commands, or a refusal that names the agent of a command, waits so long for an agent. */
const DISCOVER_MS = 5_000;

/** Loaded with the first command: its parsers are half of the server's memory, and most servers never need them. */
const loadCommands = () => import("./commands/commands.ts");

/** The model and mode that a command's author wants, as far as the agent has them. */
function wishOf({ model, mode }: SlashCommand, agent: string, { models, otherModels, modes }: Discovery): Asked {
  const own = model?.startsWith(`${agent}/`) ? model.slice(agent.length + 1) : undefined;
  const listed = models.find(({ id }) => id === model || id === own)?.id;
  const wanted = listed ?? (otherModels ? own : undefined);
  return {
    ...(wanted ? { model: wanted } : {}),
    ...(mode !== undefined && modes.some(({ id }) => id === mode) ? { mode } : {}),
  };
}

/** Shell turns, compactions, slash commands, reverts and forks. */
export class SessionWork {
  private readonly options: WorkOptions;

  constructor(options: WorkOptions) {
    this.options = options;
  }

  /** Starts a session's agent ahead of its prompt, and resolves when it is ready. False: the agent waits for a prompt, which asks first whether the project is trusted. */
  async start(session: string): Promise<boolean> {
    const { directory, parent, agent } = await this.options.own(session);
    if (parent === undefined) this.options.agent(agent);
    else throw new ParleyError("invalid", "a sub-agent is started by the agent that it belongs to: start that one");
    this.options.roots.assert(directory);
    try {
      return await this.options.startAgent(session);
    } catch (error) {
      throw isParleyError(error) ? error : new ParleyError("unavailable", messageOf(error));
    }
  }

  /** Runs a command of the client's in the session's directory, as a turn of its own. The agent learns of it with its next prompt. */
  shell(session: string, { command, ...asked }: ShellRequest): Promise<Receipt> {
    const parts: PromptPart[] = [{ type: "text", text: "The user ran a command.", synthetic: true }];
    return this.options.prompt(session, { ...asked, parts, delivery: "reject", task: { type: "shell", command } });
  }

  /** Has the agent shorten the conversation, as a turn: it goes on from a summary. */
  async compact(session: string, { auto, ...asked }: Asked & { auto?: boolean } = {}): Promise<Receipt> {
    const { agent } = await this.options.own(session);
    if (this.options.agent(asked.agent ?? agent).capabilities?.compact === undefined)
      throw new ParleyError("unsupported", `agent ${agent} cannot be told to shorten a conversation`);
    const parts: PromptPart[] = [{ type: "text", text: "Summarise the conversation so far.", synthetic: true }];
    const task = { type: "compact", ...(auto === undefined ? {} : { auto }) } as const;
    return this.options.prompt(session, { ...asked, parts, task });
  }

  /** The slash commands of a directory, with those that these agents have themselves. */
  async commands(directory: string, agents = this.options.agents()): Promise<SlashCommand[]> {
    const { commandsIn } = await loadCommands();
    return commandsIn(directory, await this.known(agents, directory));
  }

  /** The slash commands that a session can be given. */
  async commandsOf(session: string): Promise<SlashCommand[]> {
    const { directory, agent } = await this.within(session);
    return this.commands(directory, [agent]);
  }

  private known(agents: readonly string[], directory: string): Promise<KnownAgent[]> {
    const known = async (name: string): Promise<KnownAgent> => {
      const asked = this.options.discover(name, directory).catch(() => ({}));
      return { name, discovery: (await within(asked, DISCOVER_MS))?.value ?? {} };
    };
    return Promise.all(agents.map(known));
  }

  /** Gives the agent what a slash command stands for. */
  async command(session: string, request: CommandRequest): Promise<Receipt> {
    const { command: name, arguments: added, parts: more = [], ...asked } = request;
    const digest = sha256Of(request);
    const state = await this.within(session);
    // Checked before a shell command of the template runs.
    assertPromptable(state, asked.id);
    await assertFilesInside(more, state.directory);
    const known = asked.id === undefined ? undefined : await this.options.log.find(session, promptKey(asked.id));
    // A repeat is recognised by the request: the command's files may have changed since, and the prompt with them.
    if (known && asked.id !== undefined) return repeatedReceipt(known, { id: asked.id, parts: [], digest });
    const agent = asked.agent ?? state.agent;
    const discovery = await this.options.discover(agent, state.directory);
    const { findCommand, promptOf } = await loadCommands();
    const others = (): Promise<KnownAgent[]> =>
      this.known(
        this.options.agents().filter((other) => other !== agent),
        state.directory,
      );
    const command = await findCommand(name, state.directory, { name: agent, discovery }, others);
    const { processes, trust } = this.options;
    const { directory } = state;
    const trusted = trust.covering(directory) !== undefined;
    const parts = await promptOf(command, added, { session, directory, processes, trusted });
    const { mode, ...harmless } = wishOf(command, agent, discovery);
    // A project that is not trusted must not choose a mode that asks for no permission.
    const wish =
      trusted || command.file === undefined ? { ...harmless, ...(mode === undefined ? {} : { mode }) } : harmless;
    const prompt = { ...wish, ...asked, parts: [...parts, ...more], digest };
    return this.options.prompt(session, prompt);
  }

  /** Takes back a message's turn and all after it, files included. The next prompt makes it final. */
  async revert(session: string, wish: Wish): Promise<SessionState> {
    const { agent, parent, nativeId } = await this.within(session);
    const { capabilities, copyAt } = this.options.agent(agent);
    const rewind = capabilities?.rewind;
    if (parent !== undefined || !rewind) {
      const why = "it keeps its own memory of what was said";
      throw new ParleyError("unsupported", `agent ${agent} cannot take back a message: ${why}`);
    }
    if (rewind !== "point") return this.move(session, { ...wish, native: rewind === "native" });
    const { pointOf } = await import("./fork.ts");
    const copyOf: Wish["copyOf"] = (events) =>
      nativeId === undefined ? undefined : copyAt?.(nativeId, pointOf(agent, events));
    return this.move(session, { ...wish, copyOf });
  }

  /** Does the reverted turns again, as long as no prompt has come since. */
  unrevert(session: string): Promise<SessionState> {
    return this.move(session, null);
  }

  /** Makes a revert final; nothing happens where there is none. */
  async commitRevert(session: string): Promise<void> {
    await this.within(session);
    await this.options.commitRevert(session);
  }

  private async move(session: string, wish: Wish | null): Promise<SessionState> {
    const { own, whileIdle, log } = this.options;
    await this.within(session);
    await whileIdle(session, async () => {
      const { moveTo } = await import("./revert/revert.ts");
      const { revert, undo } = await moveTo(log, await own(session), wish);
      return { facts: { meta: { revert } }, undo };
    });
    return own(session);
  }

  /** The state of a session whose directory lies in the roots. Other sessions, from before the roots were set, can only be read. */
  private async within(session: string): Promise<SessionState> {
    const state = await this.options.own(session);
    this.options.roots.assert(state.directory);
    return state;
  }

  /** The abilities of an agent that not every one has. */
  capabilities(agent: string): ReturnType<typeof capabilitiesOf> {
    return capabilitiesOf(this.options.agent(agent));
  }

  /** A new session that begins with this one's past: all of it, or what came before a message. */
  async fork(session: string, { before }: { before?: string } = {}): Promise<SessionState> {
    const state = await this.within(session);
    const { forkOf } = await import("./fork.ts");
    const { log, trust, mcp } = this.options;
    const project = { directory: state.directory, trusted: trust.covering(state.directory) !== undefined };
    const command = await forkOf(log, state, this.options.agent(state.agent), project, before);
    return this.options.create(command, state.mcpServers ? await mcp.read(session) : []);
  }
}
