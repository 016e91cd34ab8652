import type { Token, Tokens } from "marked";
import { useRef } from "preact/hooks";
import { type Blocks, goesOn, NO_BLOCKS, readBlocks, readGrowing } from "../../model/markdown/blocks.ts";
import { memo } from "../memo.tsx";
import { WideTable } from "../scrollable.tsx";
import { Code } from "./code.tsx";
import { Inline } from "./inline.tsx";

const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

function Cells({
  cells,
  align,
  tag: Tag,
}: {
  cells: Tokens.TableCell[];
  align: Tokens.Table["align"];
  tag: "th" | "td";
}) {
  return (
    <tr>
      {cells.map(({ tokens }, at) => (
        <Tag key={at} class={align[at] ? `to-${align[at]}` : undefined}>
          <Inline tokens={tokens} />
        </Tag>
      ))}
    </tr>
  );
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    <WideTable class="table-scroll" label="Table">
      <thead>
        <Cells cells={token.header} align={token.align} tag="th" />
      </thead>
      <tbody>
        {token.rows.map((cells, at) => (
          <Cells key={at} cells={cells} align={token.align} tag="td" />
        ))}
      </tbody>
    </WideTable>
  );
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, at) => (
    <li key={at} class={item.task ? "task" : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} disabled aria-label={item.checked ? "done" : "to do"} />
      )}
      <BlockList tokens={item.tokens} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

/** One block. HTML is shown as the text that it is. */
const Block = memo(function Block({ token }: { token: Token }) {
  switch (token.type) {
    case "heading": {
      const Heading = HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6";
      return (
        <Heading>
          <Inline tokens={token.tokens ?? []} />
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p class={goesOn(token) ? "goes-on" : undefined}>
          <Inline tokens={token.tokens ?? []} />
        </p>
      );
    case "text":
      return <Inline tokens={token.tokens ?? [token]} />;
    case "code": {
      const { lang, text } = token as Tokens.Code;
      return <Code text={text} language={lang?.split(/\s/, 1)[0] ?? ""} />;
    }
    case "blockquote":
      return (
        <blockquote>
          <BlockList tokens={token.tokens ?? []} />
        </blockquote>
      );
    case "list":
      return <List token={token as Tokens.List} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
    case "checkbox":
      return null;
    default:
      return <p class="raw">{token.raw.trimEnd()}</p>;
  }
});

function BlockList({ tokens }: { tokens: readonly Token[] }) {
  return (
    <>
      {tokens.map((token, at) => (
        <Block key={at} token={token} />
      ))}
    </>
  );
}

/** A text of markdown as nodes. While it is being written only its last block is read and drawn again. */
export const Markdown = memo(function Markdown({ text, growing = false }: { text: string; growing?: boolean }) {
  const read = useRef<Blocks>(NO_BLOCKS);
  const whole = useRef(false);
  if (growing) read.current = readGrowing(read.current, text);
  else if (!whole.current || read.current.text !== text) read.current = readBlocks(text);
  whole.current = !growing;
  return (
    <div class="markdown">
      <BlockList tokens={read.current.tokens} />
    </div>
  );
});
