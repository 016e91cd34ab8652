import type { ParleyEvent } from "../../core/events/event.ts";
import type { Sought } from "../../core/search/query.ts";
import { findable } from "../../core/search/text.ts";
import { termsOf } from "../../core/search/words.ts";
import { crc32 } from "../crc32.ts";
import type { SearchQuery } from "./contract.ts";

/** Facts of an event that are kept in the index beside its words, so that a filter narrows as a word does. */
type Fact = "kind" | "session" | "directory" | "agent";

/** A fact as a term. No word begins with a colon. Two facts with one sum are told apart by the judge. */
function factTerm(fact: Fact, value: string): string {
  return `:${crc32(`${fact} ${value}`).toString(36)}`;
}

/** The session may get another agent before its first turn, so its title counts as every agent's. */
const ANY_AGENT = factTerm("agent", "");

export interface SessionFacts {
  /** The session and all above it. */
  line: readonly string[];
  directory: string;
  agent: string;
}

/** All that an event is found by in an index; undefined for one in which nothing can be found. */
export function indexTerms(event: ParleyEvent, factsOf: () => SessionFacts | undefined): string[] | undefined {
  const found = findable(event);
  const facts = found && factsOf();
  if (!facts) return undefined;
  const terms = termsOf(found.text);
  if (terms.size === 0) return undefined;
  return [
    ...terms,
    factTerm("kind", found.kind),
    factTerm("directory", facts.directory),
    found.kind === "title" ? ANY_AGENT : factTerm("agent", facts.agent),
    ...facts.line.map((session) => factTerm("session", session)),
  ];
}

/** A query as an index sees it: terms that an entry must have, each with its alternatives. */
export interface Narrowed {
  /** One of each list. */
  terms: readonly (readonly string[])[];
  /** Beginnings of terms. */
  prefixes: readonly string[];
}

/** Words in a row become words anywhere, and words that must not be there are left to the judge. */
export function narrow(query: Pick<SearchQuery, "sought" | Fact>): Narrowed {
  const { exact, open } = wordsOfSought(query.sought);
  const terms = exact.map((word) => [word]);
  const { kind, session, directory, agent } = query;
  if (kind !== undefined) terms.push([factTerm("kind", kind)]);
  if (session !== undefined) terms.push([factTerm("session", session)]);
  if (directory !== undefined) terms.push([factTerm("directory", directory)]);
  if (agent !== undefined) terms.push([factTerm("agent", agent), ANY_AGENT]);
  return { terms, prefixes: open };
}

function wordsOfSought({ all }: Sought): { exact: string[]; open: string[] } {
  const exact = new Set<string>();
  const open = new Set<string>();
  for (const part of all) {
    for (const [at, word] of part.words.entries()) {
      const goesOn = part.open && at === part.words.length - 1;
      (goesOn ? open : exact).add(word);
    }
  }
  return { exact: [...exact], open: [...open] };
}
