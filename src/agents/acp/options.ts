import type { ProjectSetting } from "../../core/trust.ts";
import type { CommandHost, ProcessHost } from "../../host/contract.ts";
import type { AgentModel } from "../contract.ts";

export type Argv = readonly [string, ...string[]];

/** A program that was found; `detail` says where, for people. */
export interface FoundProgram {
  argv: Argv;
  detail?: string;
  /** Known without running it. */
  version?: string;
  /** Added to the environment of this program alone. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** `missing` says why there is none, and what to do. */
export type ProgramSearch = FoundProgram | { missing: string };

export interface AcpAgentOptions {
  name: string;
  /** The agent's name as its makers write it; what the program says of itself unless told. */
  title?: string;
  /** The command line, or the search for it, which is made anew for each start. */
  argv: Argv | (() => Promise<ProgramSearch>);
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
  host: ProcessHost & CommandHost;
  /** Parley's. Discovery works in an empty directory below it; in one of the system's otherwise. */
  dataDirectory?: string;
  /** How long the program may take until its session is open; 120 s unless told. */
  readyMs?: number;
  /** How a person logs in. */
  login?: string;
  /** Models of an agent that lists none. */
  models?: AgentModel[];
  /** The program itself, where it is one of the project in a directory. */
  ownProgram?(directory: string): ProjectSetting[];
  /** The files of a project from which the program would run something. Where there are any, it is opened in trusted directories alone. */
  projectSettings?(directory: string): Promise<ProjectSetting[]>;
}
