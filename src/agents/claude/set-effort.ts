import { fieldsIn, textIn } from "../../core/json/fields.ts";
import { MustReopen } from "../contract.ts";
import type { Control } from "./control.ts";

/** The program answers any effort with success, so it is asked which one is in force. A program that does not know the request is started anew. */
export async function setEffort(control: Control, effort: string | undefined): Promise<void> {
  const settings = { effortLevel: effort ?? null };
  const { ok } = await control.ask({ subtype: "apply_flag_settings", settings });
  if (!ok) throw new MustReopen(`the effort ${effort}`);
  const { body } = await control.ask({ subtype: "get_settings" });
  const now = textIn(fieldsIn(body, "applied"), "effort");
  if (effort !== undefined && now !== undefined && now !== effort)
    throw new Error(`Claude Code does not take the effort ${effort}: it stays with ${now}`);
}
