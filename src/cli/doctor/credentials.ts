import type { Found } from "../../credentials/contract.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Check } from "./check.ts";

const WIDTH = 300;

/** The credentials that agents find, by provider and place, and what is wrong with the places. */
export function checkCredentials({ credentials, problems }: Found): Check[] {
  const name = "credentials";
  const places = credentials.map(({ provider, source }) => `${provider} (${source.name})`);
  const detail =
    places.length === 0 ? "none found: parley credentials says how each agent gets one" : places.join(", ");
  const facts = { found: credentials.map(({ provider, kind, source }) => ({ provider, kind, source })) };
  return [
    { name, level: "ok", detail: safeLine(detail, WIDTH), facts },
    ...problems.map(({ source, code, detail: what, advice }): Check => {
      const shown = `${safeLine(source.name, WIDTH)}: ${what}`;
      return { name, level: "warn", detail: shown, advice, facts: { code, source } };
    }),
  ];
}
