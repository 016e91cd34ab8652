import { INSTALLABLE } from "../../install/catalog.ts";
import { findAgentBinary } from "../../install/find.ts";
import { installAgent } from "../../install/install.ts";
import { agentsDirectory } from "../../install/layout.ts";
import { InstallProblem } from "../../install/problem.ts";
import { CliError } from "../exit.ts";
import { personAt } from "../run/lines.ts";
import { tell } from "../tell.ts";

async function wanted(): Promise<boolean> {
  const { package: name, version } = INSTALLABLE.opencode;
  const person = personAt(process.stdin, process.stderr);
  person.tell("parley: OpenCode's terminal interface was not found on this machine.\n");
  const question = `parley: install ${name}@${version} with npm now, for Parley only? [Y/n] `;
  const line = await person.ask(question, new AbortController().signal);
  return line !== undefined && /^\s*(y(es)?)?\s*$/i.test(line);
}

/** The interface's program: the one that is there, else one that is installed now, if that is welcome. */
export async function opencodeProgram(dataDirectory: string, installUnasked: boolean): Promise<string> {
  const agents = agentsDirectory(dataDirectory);
  const found = await findAgentBinary("opencode", { agents });
  if (!("missing" in found)) return found.path;
  // A variable that names nothing is a mistake to be told, not a reason to install something else.
  if (process.env.PARLEY_OPENCODE_BIN || !(installUnasked || (await wanted()))) throw new CliError(found.missing);
  try {
    return (await installAgent("opencode", { agents, progress: tell })).path;
  } catch (thrown) {
    throw thrown instanceof InstallProblem ? new CliError(thrown.message, undefined, thrown) : thrown;
  }
}
