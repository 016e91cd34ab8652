import { useState } from "preact/hooks";
import type { Item, MessageItem } from "../../../../src/core/events/items.ts";
import type { PromptPart } from "../../../../src/core/events/values.ts";
import { duration } from "../../../model/time.ts";
import type { Part } from "../../../model/transcript/part.ts";
import { Markdown } from "../../../ui/markdown/markdown.tsx";

const LONG_PROMPT = 2_500;

function FilePart({ part }: { part: PromptPart & { type: "file" } }) {
  const { url, mime = "", name, path } = part;
  const label = name ?? path ?? "file";
  if (url?.startsWith("data:image/") && /^image\/(png|jpeg|gif|webp|avif)$/.test(mime))
    return <img class="attached" src={url} alt={label} title={label} />;
  return <span class="chip mono">{label}</span>;
}

/** The words of a person: as they were written, not as markdown. */
function Prompt({ item }: { item: MessageItem }) {
  const [all, setAll] = useState(false);
  const { text = "", content = [], steered } = item;
  const cut = !all && text.length > LONG_PROMPT;
  const files = content.filter((part): part is PromptPart & { type: "file" } => part.type === "file");
  return (
    <div class="prompt-said">
      {steered && <p class="small muted">said meanwhile</p>}
      {text !== "" && <p class="said">{cut ? `${text.slice(0, LONG_PROMPT)}…` : text}</p>}
      {cut && (
        <button type="button" class="button plain compact" onClick={() => setAll(true)}>
          Show all
        </button>
      )}
      {files.length > 0 && (
        <div class="row">
          {files.map((part, at) => (
            <FilePart key={at} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}

function Reasoning({ part, text, running }: { part: Part; text: string; running: boolean }) {
  if (text.trim() === "" && !running) return null;
  const took = part.ended === undefined ? "" : ` · ${duration(part.ended - part.began)}`;
  return (
    <details class="reasoning">
      <summary class="small muted">
        {running ? "Thinking" : "Thought"}
        {took}
        {running && <span class="dot working turning" />}
      </summary>
      <Markdown text={text} growing={running} />
    </details>
  );
}

/** A message, a reasoning or a status. */
export function ItemView({ part, item }: { part: Part; item: Item }) {
  const running = item.status === "running" || item.status === "pending";
  switch (item.kind) {
    case "message":
      if (item.role === "user") return <Prompt item={item} />;
      return (
        <div class={`message ${item.status}`}>
          <Markdown text={item.text ?? ""} growing={running} />
          {item.status === "retracted" && <p class="small muted">The agent took this back.</p>}
          {item.status === "interrupted" && <p class="small muted">It was interrupted here.</p>}
        </div>
      );
    case "reasoning":
      return <Reasoning part={part} text={item.text ?? ""} running={running} />;
    case "status":
      return (
        <p class={`status small ${item.level === "info" ? "muted" : item.level === "warn" ? "need-text" : "bad-text"}`}>
          {item.text}
        </p>
      );
    case "tool_call":
    case "tool_result":
      return null;
  }
}
