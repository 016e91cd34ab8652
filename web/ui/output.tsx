import { useState } from "preact/hooks";
import { parseAnsi } from "../model/ansi.ts";
import { clip } from "../model/clip.ts";
import { memo } from "./memo.tsx";

/** The output of a program, with its colours. */
export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  const pieces = parseAnsi(text);
  return (
    <>
      {pieces.map((piece, at) =>
        piece.look.length > 0 ? (
          <span key={at} class={piece.look.join(" ")}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
});

/** Output that is cut in the middle where it is long, until somebody wants all of it. */
export const Output = memo(function Output({ text, label }: { text: string; label: string }) {
  const [all, setAll] = useState(false);
  const cut = all ? { head: text } : clip(text);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard
    <section class="output" aria-label={label} tabIndex={0}>
      <pre>
        <AnsiText text={cut.head} />
      </pre>
      {cut.tail !== undefined && (
        <>
          <button type="button" class="button plain compact left-out" onClick={() => setAll(true)}>
            {cut.left ? `${cut.left} lines are left out: show all` : "The middle is left out: show all"}
          </button>
          <pre>
            <AnsiText text={cut.tail} />
          </pre>
        </>
      )}
    </section>
  );
});
