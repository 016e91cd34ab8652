import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { type Fields, isFields } from "../core/json/fields.ts";
import { type InstallOptions, type InstallResult, installWanted } from "./installation.ts";
import type { Installation } from "./layout.ts";
import { InstallProblem } from "./problem.ts";

/** A package of the npm registry with a program of its own, which npm installs with what it depends on. */
export interface PackageProgram {
  package: string;
  version: string;
  /** The program's name in the package's `bin`. */
  bin: string;
}

/** Installs an agent that is a package, or finds that it is there. */
export function installPackage(name: string, what: PackageProgram, options: InstallOptions): Promise<InstallResult> {
  const find = async (directory: string, version: string): Promise<Installation> =>
    packageProgram(directory, { ...what, version });
  return installWanted(
    { name, package: what.package, version: what.version, size: "with its packages", find },
    options,
  );
}

const SCRIPTS: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs"]);
const NODE_SCRIPT = /^#!.*\bnode\b/;

/** The program of a package that npm installed into a directory. */
export function packageProgram(directory: string, { package: name, version, bin }: PackageProgram): Installation {
  const home = join("node_modules", name);
  const facts = readPackage(join(directory, home));
  const own = typeof facts.bin === "string" ? facts.bin : isFields(facts.bin) ? facts.bin[bin] : undefined;
  const fail = (why: string): InstallProblem =>
    new InstallProblem("unusable", `${name}@${version} was downloaded, but ${why}: try another with --version`);
  if (typeof own !== "string" || own === "") throw fail(`it has no program ${bin}`);
  // As npm reads it: a path never leaves the package.
  const program = join(home, normalize(join("/", own)));
  if (!statSync(join(directory, program), { throwIfNoEntry: false })?.isFile()) throw fail(`${program} is not in it`);
  const parts = platformParts(name, facts.optionalDependencies);
  if (parts.length > 0 && !parts.some((part) => existsSync(join(directory, "node_modules", part))))
    throw fail(`its part for ${process.platform} ${process.arch} was not; npm's registry may lack it`);
  return { version, program, ...(isScript(join(directory, program)) ? { node: true } : {}) };
}

function readPackage(home: string): Fields {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    return isFields(facts) ? facts : {};
  } catch {
    return {};
  }
}

/** Packages of the same name for one platform each hold what the package cannot do without. */
function platformParts(name: string, optional: unknown): string[] {
  return isFields(optional) ? Object.keys(optional).filter((part) => part.startsWith(`${name}-`)) : [];
}

function isScript(path: string): boolean {
  return SCRIPTS.has(extname(path)) || NODE_SCRIPT.test(readFileSync(path).subarray(0, 200).toString("latin1"));
}
