import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { changedPairs, type DiffHunk, type DiffLine, diffLines, isBulky } from "../model/diff/lines.ts";
import { memo } from "./memo.tsx";
import { attempt } from "./toasts.tsx";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

/** The words of a line with those that are new or gone. */
type Words = readonly { text: string; changed: boolean }[];

/** The changed words of all lines that stand for each other, by the hunk and the line. */
async function wordsOf(hunks: readonly DiffHunk[]): Promise<ReadonlyMap<DiffLine, Words>> {
  const { diffWordsWithSpace } = await import("diff");
  const words = new Map<DiffLine, Words>();
  for (const { lines } of hunks) {
    for (const [before, after] of changedPairs(lines)) {
      const [removed, added] = [lines[before], lines[after]];
      if (!removed || !added) continue;
      const changes = diffWordsWithSpace(removed.text, added.text);
      const mine = (side: "added" | "removed"): Words =>
        changes
          .filter((change) => change[side] || !(change.added || change.removed))
          .map((change) => ({ text: change.value, changed: change[side] === true }));
      words.set(removed, mine("removed"));
      words.set(added, mine("added"));
    }
  }
  return words;
}

function Line({ line, words }: { line: DiffLine; words: Words | undefined }) {
  return (
    <div class={`diff-line ${line.kind}`}>
      <span class="diff-number">{line.old ?? ""}</span>
      <span class="diff-number">{line.new ?? ""}</span>
      <span class="diff-sign">{SIGNS[line.kind]}</span>
      <span class="diff-words">
        {words
          ? words.map(({ text, changed }, at) => (changed ? <mark key={at}>{text}</mark> : text))
          : line.text || "\n"}
      </span>
    </div>
  );
}

function Hunk({ hunk, words }: { hunk: DiffHunk; words: ReadonlyMap<DiffLine, Words> | undefined }) {
  return (
    <>
      {(hunk.skipped > 0 || hunk.head) && (
        <div class="diff-skip">
          {hunk.skipped > 0 ? `${hunk.skipped} ${hunk.skipped === 1 ? "line" : "lines"}` : ""} {hunk.head}
        </div>
      )}
      {hunk.lines.map((line, at) => (
        <Line key={at} line={line} words={words?.get(line)} />
      ))}
    </>
  );
}

export function PlusMinus({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span class="plus-minus">
      <span class="plus">+{additions}</span> <span class="minus">−{deletions}</span>
    </span>
  );
}

export interface ShownFile {
  path: string;
  kind: "added" | "modified" | "deleted" | "renamed";
  from?: string;
  diff?: string;
  additions?: number;
  deletions?: number;
  cut?: { characters: number };
}

interface DiffViewProps {
  file: ShownFile;
  /** Beside the name, such as a button. */
  children?: ComponentChildren;
}

const KINDS = { added: "new", modified: "", deleted: "deleted", renamed: "renamed" } as const;

/** What changed in one file. Long diffs and those of lock files are folded at first. */
export const DiffView = memo(function DiffView({ file, children }: DiffViewProps) {
  const { path, kind, from, diff = "", additions, deletions, cut } = file;
  const hunks = useMemo(() => diffLines(diff), [diff]);
  const [open, setOpen] = useState(!isBulky(path, hunks));
  const [words, setWords] = useState<ReadonlyMap<DiffLine, Words>>();
  const paired = useMemo(() => hunks.some(({ lines }) => changedPairs(lines).length > 0), [hunks]);
  const mark = (): void => void attempt(async () => setWords(words ? undefined : await wordsOf(hunks)));
  return (
    <figure class="diff">
      <figcaption class="diff-head">
        <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span class="mono cut">{from ? `${from} → ${path}` : path}</span>
          {KINDS[kind] && <span class="chip">{KINDS[kind]}</span>}
        </button>
        {open && paired && (
          <button type="button" class="button plain compact" aria-pressed={words !== undefined} onClick={mark}>
            Words
          </button>
        )}
        {additions !== undefined && deletions !== undefined && (
          <PlusMinus additions={additions} deletions={deletions} />
        )}
        {children}
      </figcaption>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard
        <section class="diff-body" tabIndex={0} aria-label={`Changes of ${path}`}>
          {hunks.map((hunk, at) => (
            <Hunk key={at} hunk={hunk} words={words} />
          ))}
          {hunks.length === 0 && <p class="muted small pad">{diff === "" ? "No lines to show." : diff}</p>}
          {cut && <p class="muted small pad">{cut.characters} characters of this diff were left out.</p>}
        </section>
      )}
    </figure>
  );
});
