import { textIn } from "../../core/json/fields.ts";
import type { Rpc } from "./rpc.ts";

const CLIENT = { name: "parley", title: "Parley", version: "1" };
/** The words of the program's answer begin with the client's name and the program's version. */
const VERSION = /^[^/]*\/(\d+\.\d+\.\d+[^\s]*)/;

/** The first words with the program. Answers with its version, or with the error. */
export async function shakeHands(rpc: Rpc): Promise<{ version?: string; error?: string }> {
  const capabilities = { experimentalApi: true, requestAttestation: false };
  const { result, error } = await rpc.ask("initialize", { clientInfo: CLIENT, capabilities });
  if (!result) return { error: error ?? "no reason was given" };
  rpc.tell("initialized");
  const version = VERSION.exec(textIn(result, "userAgent") ?? "")?.[1];
  return version === undefined ? {} : { version };
}
