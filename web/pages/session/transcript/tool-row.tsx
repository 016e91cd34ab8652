import { useContext, useState } from "preact/hooks";
import type { ToolCallItem, ToolResultItem } from "../../../../src/core/events/items.ts";
import { languageOfPath } from "../../../model/language.ts";
import { duration } from "../../../model/time.ts";
import { type InputBlock, toolView } from "../../../model/tool.ts";
import type { Part } from "../../../model/transcript/part.ts";
import { DiffView } from "../../../ui/diff-view.tsx";
import { Code } from "../../../ui/markdown/code.tsx";
import { Output } from "../../../ui/output.tsx";
import { ShownSession } from "../context.ts";
import { SubAgent } from "./sub-agent.tsx";

const STATES: Readonly<Record<string, string>> = {
  pending: "is being prepared",
  running: "runs",
  completed: "done",
  failed: "failed",
};

function Change({ block }: { block: InputBlock & { kind: "change" } }) {
  const lines = (sign: string, text: string): string[] =>
    text === ""
      ? []
      : text
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => sign + line);
  const [before, after] = [lines("-", block.before), lines("+", block.after)];
  const diff = [`@@ -1,${before.length} +1,${after.length} @@`, ...before, ...after].join("\n");
  return <DiffView file={{ path: block.path ?? "text", kind: "modified", diff }} />;
}

function Block({ block }: { block: InputBlock }) {
  switch (block.kind) {
    case "command":
      return <pre class="command">{block.text}</pre>;
    case "code":
      return <Code text={block.text} language={block.path ? languageOfPath(block.path) : ""} />;
    case "change":
      return <Change block={block} />;
    case "text":
      return <p class="said">{block.text}</p>;
    case "json":
      return <Output text={block.text} label="Input" />;
  }
}

/** The parts of a call's input that its line and its result do not say already. */
function untold(blocks: readonly InputBlock[], result: ToolResultItem | undefined, subject: string): InputBlock[] {
  const changed = (result?.files ?? []).some(({ diff }) => diff);
  return blocks.filter((block) => {
    if (changed && (block.kind === "change" || block.kind === "code")) return false;
    return !(block.kind === "command" && block.text === subject);
  });
}

function isOpenAtFirst(call: ToolCallItem | undefined, result: ToolResultItem | undefined): boolean {
  return (result?.files ?? []).some(({ diff }) => diff) || call?.status === "failed";
}

function asTool(part: Part | undefined): { call?: ToolCallItem; result?: ToolResultItem } {
  const { item } = part ?? {};
  if (item?.kind === "tool_call") return { call: item };
  return item?.kind === "tool_result" ? { result: item } : {};
}

/** A tool call: one line, and below it what went in and what came out. */
export function ToolRow({ call: callPart, result: resultPart }: { call?: Part; result?: Part }) {
  const { directory } = useContext(ShownSession);
  const { call } = asTool(callPart);
  const { result } = asTool(resultPart);
  const [chosen, setChosen] = useState<boolean>();
  const running = call?.status === "running" || call?.status === "pending";
  const open = chosen ?? (running || isOpenAtFirst(call, result));
  if (!call && !result) return null;
  const { label, subject, blocks } = call ? toolView(call, directory) : { label: "Tool", subject: "", blocks: [] };
  const state = call?.status ?? "running";
  const took = callPart?.ended === undefined ? undefined : callPart.ended - callPart.began;
  const text = result?.text ?? "";
  const files = result?.files ?? [];
  return (
    <section class={`tool ${state}`}>
      <button type="button" class="fold tool-line" aria-expanded={open} onClick={() => setChosen(!open)}>
        <span class={`tool-state ${state}`} role="img" aria-label={STATES[state] ?? state} />
        <span class="tool-label">{label}</span>
        <span class="tool-subject mono cut">{subject}</span>
        {call?.background && <span class="chip">in the background</span>}
        {took !== undefined && took >= 1_000 && <span class="small muted nowrap">{duration(took)}</span>}
      </button>
      {open && (
        <div class="tool-body">
          {untold(blocks, result, subject).map((block, at) => (
            <Block key={at} block={block} />
          ))}
          {call && blocks.length === 0 && running && callPart?.inputText && (
            <Output text={callPart.inputText} label="Input" />
          )}
          {files.map((file, at) => (
            <DiffView key={`${file.path}:${at}`} file={file} />
          ))}
          {text !== "" && files.every(({ diff }) => !diff) && <Output text={text} label="Output" />}
          {call?.error && call.error.message !== text && <p class="notice bad small">{call.error.message}</p>}
          {!running && text === "" && files.length === 0 && !call?.error && <p class="small muted">No output.</p>}
        </div>
      )}
      {call?.child && <SubAgent id={call.child} />}
    </section>
  );
}
