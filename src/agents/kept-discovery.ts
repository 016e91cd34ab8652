import { keepNewest } from "../core/entries.ts";
import type { FoundBinary } from "../install/find.ts";
import type { Discovery, Project } from "./contract.ts";

/** How long an answer is fresh. An older one is used until the new one is there. */
export const FRESH_MS = 60_000;
/** So many answers are kept: one for all, or one for each project. */
const KEPT = 64;

/** A program that was found, known by its path. */
interface Found {
  path: string;
}

type Ask<F> = (found: F, project?: Project) => Promise<Discovery>;

/** An answer that nobody can work with is not kept: the user may log in at any time. */
function isOfUse({ credentials, models }: Discovery): boolean {
  return credentials !== "missing" && models.length > 0;
}

interface Known {
  path: string;
  at: number;
  answer: Promise<Discovery>;
}

/** Keeps what is known of an agent's program for a while: each look costs starts of the program. */
export class KeptDiscovery<F extends Found = FoundBinary> {
  readonly #ask: Ask<F>;
  readonly #now: () => number;
  readonly #isKept: (answer: Discovery) => boolean;
  readonly #known = new Map<string, Known>();

  constructor(ask: Ask<F>, now: () => number = Date.now, isKept = isOfUse) {
    this.#ask = ask;
    this.#now = now;
    this.#isKept = isKept;
  }

  discover(found: F, project?: Project): Promise<Discovery> {
    const key = project ? `${project.trusted} ${project.directory}` : "";
    const known = this.#known.get(key);
    if (known?.path !== found.path) return this.#look(key, found, project);
    if (this.#now() - known.at <= FRESH_MS) return known.answer;
    // The old answer serves while the new one is made.
    this.#keep(key, { ...known, at: this.#now() });
    this.#ask(found, project).then((fresh) => {
      this.#keep(key, { path: found.path, at: this.#now(), answer: Promise.resolve(fresh) });
    }, ignore);
    return known.answer;
  }

  #look(key: string, found: F, project: Project | undefined): Promise<Discovery> {
    const answer = this.#ask(found, project);
    this.#keep(key, { path: found.path, at: this.#now(), answer });
    const forget = (): void => {
      if (this.#known.get(key)?.answer === answer) this.#known.delete(key);
    };
    answer.then((told) => {
      if (!this.#isKept(told)) forget();
    }, forget);
    return answer;
  }

  #keep(key: string, known: Known): void {
    keepNewest(this.#known, key, known, KEPT);
  }
}

const ignore = (): void => {};
