import type { Fields } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import { type Branch, type OpenAsk, Reading, type Turn } from "./state.ts";

/** The program's sessions behind one of Parley's, and the asks that are open in them. */
export interface Tree {
  readonly root: string;
  readonly directory: string;
  readonly branches: Map<string, Branch>;
  readonly asks: Map<string, OpenAsk>;
  /** Sessions of others (true), and those that are being looked for. */
  readonly strangers: Map<string, boolean>;
  /** Whether the program asks only because the session's rules want to hear of the call: it would make it by itself otherwise. */
  isIntent(request: Fields): boolean;
}

const MOST_STRANGERS = 10_000;

/** The place where one input is worked on. */
export class Desk extends Reading {
  readonly tree: Tree;

  constructor(tree: Tree) {
    super();
    this.tree = tree;
  }

  tell(branch: Branch, ...signals: readonly Signal[]): void {
    for (const signal of signals) this.say(branch, signal, this.tree.root);
  }

  check(branch: Branch): void {
    if (!this.wants.some((want) => want.type === "check" && want.session === branch.id))
      this.want({ type: "check", session: branch.id });
  }

  /** Looks a session up, once. */
  lookUp(session: string): void {
    const { strangers } = this.tree;
    if (strangers.has(session)) return;
    if (strangers.size >= MOST_STRANGERS) strangers.clear();
    strangers.set(session, false);
    this.want({ type: "session", session });
  }

  /** The turn of a session; a sub-agent's begins by itself, one of the session itself is begun by Parley or found by a check. */
  turnOf(branch: Branch, message: string): Turn | undefined {
    if (branch.turn) return branch.turn;
    if (branch.parent === undefined) {
      this.check(branch);
      return undefined;
    }
    return this.beginTurn(branch, message);
  }

  beginTurn(branch: Branch, id: string): Turn {
    const none = { aborted: false, refused: false, worked: false, compacted: false };
    const turn: Turn = { id, prompts: new Set(), refusedCalls: new Set(), ...none };
    branch.turn = turn;
    this.tell(branch, { type: "turn.begun", turn: id });
    return turn;
  }
}
