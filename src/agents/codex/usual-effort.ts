import { listIn, textIn } from "../../core/json/fields.ts";
import type { Rpc } from "./rpc.ts";

/** The effort that a model has by itself. The program keeps the last one of a thread, and has no word for going back. */
export async function usualEffort(rpc: Rpc, model: string | undefined): Promise<string> {
  const { result } = await rpc.ask("model/list", { includeHidden: true });
  const known = listIn(result ?? {}, "data").find((one) => one.model === model || one.id === model);
  const effort = textIn(known ?? {}, "defaultReasoningEffort");
  if (effort === undefined)
    throw new Error(`the effort that ${model ?? "the model"} has by itself is not known: choose one`);
  return effort;
}
