import type { PackageProgram } from "../../../install/install-package.ts";

/** A package that Parley installs an agent from. */
export interface KnownPackage extends PackageProgram {
  /** The oldest Node that runs it, where that is newer than Parley's own oldest. */
  node?: string;
}

/** An agent that speaks ACP, as its makers have it started. */
export interface KnownEntry {
  name: string;
  title: string;
  /** Other names by which lists of agents have it. */
  aliases?: readonly string[];
  /** The program's names in the search path, the first that is there. */
  programs: readonly [string, ...string[]];
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Pinned. Absent: it is installed as its makers say. */
  npm?: KnownPackage;
  /** A program that Parley installs for an agent of its own adapter. */
  shares?: "opencode";
  /** How its makers have it installed. */
  get: string;
  /** How a person logs in. */
  login: string;
  /** The files and folders (`/` at the end) of a project that it runs things from, or that set what it may. Absent: not known, and those of all count. */
  files?: readonly string[];
  /** Other programs have its program's name, or an adapter of its own serves it better: it is used by its name, and never listed. */
  unlisted?: true;
}
