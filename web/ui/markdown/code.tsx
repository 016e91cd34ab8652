import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../copy-button.tsx";
import { memo } from "../memo.tsx";
import { highlight, type Piece } from "./highlight.ts";

/** Code that stood still for so long is coloured: while it is being written, colours would cost each frame. */
const STILL_MS = 120;

/** So many characters of long code are laid out together: what is written at its end does not move what is above. */
const LAID_OUT = 4_000;

function Lines({ text }: { text: string }) {
  if (text.length <= LAID_OUT) return <>{text}</>;
  const blocks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from + LAID_OUT) + 1 || text.length;
    blocks.push(text.slice(from, end));
    from = end;
  }
  return (
    <>
      {blocks.map((block, at) => (
        <span key={at} class="lines">
          {block}
        </span>
      ))}
    </>
  );
}

/** Pieces of code, or the code itself as long as there are none. */
export function Pieces({ text, pieces }: { text: string; pieces: readonly Piece[] | undefined }) {
  if (!pieces) return <Lines text={text} />;
  return (
    <>
      {pieces.map((piece, at) =>
        piece.kind ? (
          <span key={at} class={`code-${piece.kind}`}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

function usePieces(text: string, language: string): readonly Piece[] | undefined {
  const [found, setFound] = useState<{ text: string; pieces: Piece[] | undefined }>();
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      void highlight(text, language).then((pieces) => {
        if (!over && pieces) setFound({ text, pieces });
      });
    }, STILL_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  return found?.text === text ? found.pieces : undefined;
}

/** A block of code with its colours and a button to copy it. */
export const Code = memo(function Code({ text, language }: { text: string; language: string }) {
  const pieces = usePieces(text, language);
  return (
    <figure class="code">
      <figcaption class="code-bar">
        <span class="muted">{language}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard */}
      <pre tabIndex={0}>
        <code>
          <Pieces text={text} pieces={pieces} />
        </code>
      </pre>
    </figure>
  );
});
