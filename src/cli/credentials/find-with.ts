import { findAll } from "../../credentials/find.ts";
import type { Settings } from "../config/settings.ts";

/** The endpoints of the house agent that want a key, with its variable. */
function endpointsOf({ house }: Pick<Settings, "house">): Record<string, string> {
  return Object.fromEntries(
    Object.entries(house?.endpoints ?? {}).flatMap(([name, { keyVariable }]) =>
      keyVariable ? [[name, keyVariable]] : [],
    ),
  );
}

/** All that is found with these settings. */
export function findWith(settings: Pick<Settings, "house" | "houseCredentials">): ReturnType<typeof findAll> {
  const houseTakesFound = settings.houseCredentials === "found";
  return findAll(process.env, { endpoints: endpointsOf(settings), houseTakesFound });
}
