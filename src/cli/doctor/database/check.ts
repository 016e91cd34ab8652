import { messageOf } from "../../../core/errors.ts";
import type { Settings } from "../../config/settings.ts";
import type { Check } from "../check.ts";
import { judgeDatabase } from "./judge.ts";
import { readFacts } from "./read.ts";

/** Looks at the database that is configured, if one is. */
export async function checkDatabase({ databaseUrl: url }: Settings): Promise<Check[]> {
  if (url === undefined) return [];
  const { lookAt } = await import("../../../postgres/look.ts");
  try {
    const look = await lookAt(url);
    try {
      return judgeDatabase(await readFacts(look));
    } finally {
      await look.close();
    }
  } catch (thrown) {
    return [{ name: "database", level: "bad", detail: messageOf(thrown), advice: "docs/many-machines.md says more" }];
  }
}
