import { isCommandName } from "../../core/command-name.ts";
import type { Unattended } from "../../gateway/options.ts";
import type { SyncMode } from "../../log/contract.ts";
import type { HouseCredentials } from "../../server/agents.ts";
import { LOG_LEVELS } from "../../server/logging/log-line.ts";
import * as kind from "./kinds.ts";

/** Everything about one setting: flags, variables, files, help, completion and the table in docs/configuration.md come from it. */
export interface Setting {
  kind: kind.Kind<unknown>;
  /** One sentence for the help, the JSON schema and the documentation. */
  means: string;
  /** The rest of the documentation. */
  more?: string;
  /** The property of `Settings` that holds it, where that has another name. */
  sets?: string;
  /** As a variable would say it. */
  default?: string;
  /** In words, where the default is no fixed value. */
  otherwise?: string;
  variable?: string;
  /** The flag of `serve`. Its placeholder decides what shells complete. */
  flag?: string;
  /** The heading of the flag in the help. */
  group?: "Listening:" | "Access:" | "Agents:" | "Storage:" | "Nodes:" | "Output:";
  /** For a flag that needs other words than `means`. */
  help?: string;
  /** Which files may hold it: the user's and those of any project, of trusted projects, or of no project. */
  file?: "any" | "trusted" | "user";
  /** A value that only a trusted project may choose. */
  trustedValue?: string;
  /** A value that no project may choose, trusted or not. */
  userValue?(value: unknown): boolean;
  /** Why no project may hold it, or such a value. */
  why?: string;
}

export type Table = Readonly<Record<string, Setting>>;

/** Of two settings that set the same property in one source, the first counts. */
// biome-ignore format: a table has its names in the first line of a row and its words in the others.
export const SETTINGS = {
  host: { kind: kind.address, default: "127.0.0.1", flag: "--host <address>", variable: "PARLEY_HOST", file: "trusted", group: "Listening:",
    means: "the address to listen on" },
  port: { kind: kind.port, default: "7420", flag: "--port <number>", variable: "PARLEY_PORT", file: "any", group: "Listening:",
    means: "the port to listen on; 0 for any free one" },
  advertise: { kind: kind.origin, flag: "--advertise <url>", variable: "PARLEY_ADVERTISE", file: "trusted", group: "Listening:",
    means: "the address that clients are told and may use, where a tunnel or a proxy stands before the server",
    more: "See [behind a proxy](#behind-a-proxy)", otherwise: "the address that is bound" },
  allowHosts: { kind: kind.texts, default: "", flag: "--allow-host <name>", variable: "PARLEY_ALLOW_HOSTS", file: "trusted", group: "Listening:",
    means: "further names by which clients may call the server" },
  cors: { kind: kind.texts, default: "", flag: "--cors <origin>", variable: "PARLEY_CORS", file: "trusted", group: "Listening:",
    means: "origins of web pages that may call the server" },
  token: { kind: kind.token, sets: "credential", flag: "--token <token>", variable: "PARLEY_TOKEN", file: "user", group: "Access:",
    means: "the token that clients need",
    help: "the token that clients need; better --token-file or PARLEY_TOKEN, which no list of processes shows",
    why: "a token belongs to a user, not into a project; use PARLEY_TOKEN, --token-file or the user's configuration" },
  tokenFile: { kind: kind.tokenFile, sets: "credential", flag: "--token-file <path>", variable: "PARLEY_TOKEN_FILE", group: "Access:",
    means: "a file with the token", otherwise: "made once, in the data directory" },
  roots: { kind: kind.roots, flag: "--root <directory>", variable: "PARLEY_ROOTS", file: "trusted", group: "Access:",
    means: "directories that sessions, files and terminals are limited to", more: "See [roots](#roots)",
    otherwise: "none on loopback, --dir where others can reach the server" },
  defaultAgent: { kind: kind.agentName, flag: "--agent <name>", variable: "PARLEY_AGENT", file: "any", group: "Agents:",
    means: "the agent of a session that names none", more: "Also an ACP agent's command line, such as `acp:gemini --acp`, in the user's own file, the variable and the flag",
    userValue: (value) => typeof value === "string" && isCommandName(value),
    why: "no project names a command line to run by it; a trusted one may add an entry of \"agents\"", otherwise: "claude, codex or opencode, the first that is installed and logged in; else house" },
  agents: { kind: kind.agents, file: "trusted",
    means: "further agents, by name",
    more: "Each has `command` and may have `env`, `models`, `modes`, `options`, `steer` and `can`: see [the line protocol](line-protocol.md). Or it has `acp`, the command line of a program that speaks ACP, and may have `title`, `env` and `models`: see [ACP agents](acp-agents.md)" },
  knownAgents: { kind: kind.yesOrNo, default: "true", flag: "--no-known-agents", variable: "PARLEY_KNOWN_AGENTS", file: "trusted", group: "Agents:",
    means: "whether ACP agents that Parley knows are listed where they are installed", help: "do not list ACP agents that are installed",
    more: "All of them can be named all the same: see [ACP agents](acp-agents.md)" },
  house: { kind: kind.house, file: "trusted",
    means: "the models of Parley's own agent", more: "`model`, `models`, `endpoints`: see [the house agent](agents/house.md)" },
  houseCredentials: { kind: kind.oneOf<HouseCredentials>(["environment", "found"]), default: "environment", flag: "--house-credentials <places>",
    variable: "PARLEY_HOUSE_CREDENTIALS", file: "user", group: "Agents:",
    means: "where Parley's own agent takes API keys from: found adds the files of Claude Code, Codex and OpenCode", more: "See [credentials](credentials.md#the-house-agent)",
    why: "only the user says whether keys of other programs are used" },
  opencodeUrl: { kind: kind.url, flag: "--opencode-url <url>", variable: "PARLEY_OPENCODE_URL", file: "trusted", group: "Agents:",
    means: "the address of an OpenCode server that you run, for the agent opencode",
    more: "Its password is in the address, or in `OPENCODE_SERVER_PASSWORD`. Parley never starts and never ends it: see [OpenCode](agents/opencode.md)",
    otherwise: "Parley starts its own" },
  opencodePorts: { kind: kind.ports, default: "4200-4300", flag: "--opencode-ports <range>", variable: "PARLEY_OPENCODE_PORTS", file: "trusted", group: "Agents:",
    means: "the ports of this machine that the OpenCode servers of the agent opencode may have" },
  opencodeIdle: { kind: kind.duration, sets: "opencodeIdleMs", default: "5m", flag: "--opencode-idle <time>",
    variable: "PARLEY_OPENCODE_IDLE", file: "any", group: "Agents:",
    means: "how long an OpenCode server that no session uses is kept; 0s for ever" },
  unattended: { kind: kind.oneOf<Unattended>(["wait", "deny", "allow"]), default: "wait", flag: "--unattended <policy>",
    variable: "PARLEY_UNATTENDED", file: "any", trustedValue: "allow", group: "Agents:",
    means: "what happens to a permission while no client is attached" },
  askDeadline: { kind: kind.duration, sets: "askDeadlineMs", default: "30m", flag: "--ask-deadline <time>",
    variable: "PARLEY_ASK_DEADLINE", file: "any", group: "Agents:",
    means: "how long an ask waits for a client to come", more: "Then it is rejected" },
  idleClose: { kind: kind.duration, sets: "idleCloseMs", default: "10m", flag: "--idle-close <time>",
    variable: "PARLEY_IDLE_CLOSE", file: "any", group: "Agents:",
    means: "how long an agent without work is kept" },
  idleAgents: { kind: kind.count, default: "8", flag: "--idle-agents <number>", variable: "PARLEY_IDLE_AGENTS", file: "trusted", group: "Agents:",
    means: "how many agents without work are kept at most",
    more: "Over all sessions; the one that is idle longest is let go first. 0 keeps none" },
  dataDir: { kind: kind.directory, default: "~/.local/share/parley", flag: "--data-dir <directory>", variable: "PARLEY_DATA_DIR",
    file: "trusted", group: "Storage:",
    means: "where sessions and the token are kept", more: "Made with mode 0700. `$XDG_DATA_HOME/parley` where that variable is set" },
  sync: { kind: kind.oneOf<SyncMode>(["process", "disk"]), default: "process", flag: "--sync <mode>", variable: "PARLEY_SYNC", file: "trusted", group: "Storage:",
    means: "what stored events survive: process survives kill -9, disk the loss of power too" },
  retainEvents: { kind: kind.count, default: "0", flag: "--retain-events <number>", variable: "PARLEY_RETAIN_EVENTS", file: "trusted", group: "Storage:",
    means: "how many events of a session are kept at least; 0 keeps all" },
  keepNative: { kind: kind.yesOrNo, default: "true", flag: "--no-native", variable: "PARLEY_KEEP_NATIVE", file: "trusted", group: "Storage:",
    means: "whether the agents' own lines are stored beside the events", help: "do not store the agents' own lines" },
  prices: { kind: kind.file, flag: "--prices <path>", variable: "PARLEY_PRICES", file: "trusted", group: "Storage:",
    means: "a JSON file with prices of models, which count before Parley's own", more: "For models whose agents tell no cost: see [usage](usage.md#prices)" },
  database: { kind: kind.database, sets: "databaseUrl", flag: "--database <url>", variable: "PARLEY_DATABASE", file: "user", group: "Nodes:",
    means: "the PostgreSQL that several nodes share, in place of a file in the data directory",
    help: "the PostgreSQL that several nodes share; a password comes by PARLEY_DATABASE, PGPASSWORD or the user's configuration",
    more: "See [many machines](many-machines.md). A password is never given by the flag, which lists of processes show", otherwise: "a file in the data directory",
    why: "only the user says where sessions are kept" },
  databaseListen: { kind: kind.database, flag: "--database-listen <url>", variable: "PARLEY_DATABASE_LISTEN", file: "user", group: "Nodes:",
    means: "the address by which the database's notifications are heard", more: "For a pgbouncer in transaction mode, which carries none", otherwise: "that of `database`",
    why: "only the user says where sessions are kept" },
  place: { kind: kind.label, flag: "--place <name>", variable: "PARLEY_PLACE", file: "user", group: "Nodes:",
    means: "the name that nodes with the same directories have in common", otherwise: "the host's name",
    why: "it says where this machine's directories are" },
  nodeName: { kind: kind.label, flag: "--node-name <name>", variable: "PARLEY_NODE_NAME", file: "user", group: "Nodes:",
    means: "the name of this node", otherwise: "the host's name, with a part of the data directory's identity",
    why: "it says what this machine is called" },
  nodeAddress: { kind: kind.origin, flag: "--node-address <url>", variable: "PARLEY_NODE_ADDRESS", file: "user", group: "Nodes:",
    means: "where other nodes reach this one", otherwise: "the address that is bound",
    why: "it says where other nodes send commands" },
  nodeLease: { kind: kind.duration, sets: "nodeLeaseMs", default: "10s", flag: "--node-lease <time>", variable: "PARLEY_NODE_LEASE", file: "user", group: "Nodes:",
    means: "how long a node that does not answer keeps its sessions; the same on all nodes", more: "It is renewed three times as often. At least 1s",
    why: "it must be the same on all nodes" },
  logLevel: { kind: kind.oneOf(LOG_LEVELS), default: "info", flag: "--log-level <level>", variable: "PARLEY_LOG_LEVEL", file: "any", group: "Output:",
    means: "the least that is logged on stderr" },
  trust: { kind: kind.directories, sets: "trusted", file: "user",
    means: "directories whose projects may run code, by parley.jsonc and by the agents' own settings",
    more: "`parley trust` keeps a list of its own: see [trust](#trust)",
    why: "only the user's own configuration says what is trusted" },
} as const satisfies Table;
