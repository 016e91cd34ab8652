/** The facts of a stored event that decide whether it is folded. */
export interface FoldRow {
  seq: number;
  type: string;
  /** The item a delta belongs to. */
  item: string | null;
  /** How many numbers right before it were folded away already. */
  folded: number;
}

export interface FoldPlan {
  /** Runs of numbers to delete, both ends included. */
  drop: { from: number; to: number }[];
  /** Rows that stay, and how many more numbers right before each are folded away. */
  raise: { seq: number; by: number }[];
  /** Numbers folded away at the end of the slice: the next row that stays counts them. */
  carry: number;
  /** The first delta that had to stay. */
  kept: number | undefined;
}

/**
 * Decides over a slice of a session's rows, in order and without a row left out. `completedAt` gives the number of an
 * item's `item.completed`, if it is stored: that event holds the whole text, so the deltas before it can go.
 */
export function planFold(rows: readonly FoldRow[], completedAt: (item: string) => number | undefined): FoldPlan {
  const plan: FoldPlan = { drop: [], raise: [], carry: 0, kept: undefined };
  let run: { from: number; to: number } | undefined;
  for (const row of rows) {
    const delta = row.type === "item.delta" && row.item !== null;
    if (delta && row.seq < (completedAt(row.item ?? "") ?? 0)) {
      plan.carry += row.folded + 1;
      if (!run) {
        run = { from: row.seq, to: row.seq };
        plan.drop.push(run);
      }
      run.to = row.seq;
      continue;
    }
    if (delta) plan.kept ??= row.seq;
    if (plan.carry > 0) plan.raise.push({ seq: row.seq, by: plan.carry });
    plan.carry = 0;
    run = undefined;
  }
  return plan;
}
