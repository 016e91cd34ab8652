import { shownSettings, trustCommand } from "../../core/trust.ts";
import type { ProjectTrust } from "../../gateway/trust/project-trust.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Check } from "./check.ts";

const WIDTH = 600;

/** Whether agents use what the files of this directory say. */
export async function checkProject(trust: ProjectTrust, directory: string): Promise<Check> {
  const { trusted, by, settings } = await trust.look(directory);
  const name = "project";
  const facts = { directory, trusted, by, settings };
  const shown = safeLine(shownSettings(settings), WIDTH);
  if (trusted) {
    const brings = settings.length === 0 ? "" : `; agents use ${shown}`;
    const detail = `${directory} is trusted${by === directory ? "" : `, by ${by}`}${brings}`;
    return { name, level: "ok", detail, facts };
  }
  if (settings.length === 0)
    return { name, level: "ok", detail: `${directory} is not trusted, and brings nothing that needs it`, facts };
  const detail = `${directory} is not trusted, so agents leave out ${shown}`;
  return { name, level: "warn", detail, advice: `if you know what is in them: ${trustCommand(directory)}`, facts };
}
