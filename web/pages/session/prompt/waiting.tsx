import type { Prompt } from "../../../../src/core/events/values.ts";
import type { SessionState } from "../../../../src/core/session-state.ts";
import { api } from "../../../data/api.ts";
import { dropOutgoing, type Outgoing, outbox, sendOutgoing } from "../../../data/outbox.ts";
import { attempt } from "../../../ui/toasts.tsx";

function wordsIn({ parts, task }: Prompt): string {
  if (task?.type === "shell") return `! ${task.command}`;
  if (task?.type === "compact") return "Compact the conversation";
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  return text || `${parts.length} files`;
}

function Queued({ session, prompt }: { session: string; prompt: Prompt }) {
  return (
    <li class="row">
      <span class="chip">{prompt.delivery === "context" ? "with the next" : "waits"}</span>
      <span class="grow cut">{wordsIn(prompt)}</span>
      <button
        type="button"
        class="button plain compact"
        onClick={() => attempt(() => api.session(session).withdraw(prompt.id))}
      >
        Withdraw
      </button>
    </li>
  );
}

function Unsent({ one, onEdit }: { one: Outgoing; onEdit(one: Outgoing): void }) {
  if (one.failed === undefined)
    return (
      <li class="row muted">
        <span class="chip">sending</span>
        <span class="grow cut">{one.text}</span>
      </li>
    );
  return (
    <li class="row bad-text" role="alert">
      <span class="chip">not sent</span>
      <span class="grow">
        <span class="cut">{one.text}</span>
        <span class="small"> {one.failed}</span>
      </span>
      <button type="button" class="button compact" onClick={() => void sendOutgoing(one)}>
        Send again
      </button>
      <button type="button" class="button plain compact" onClick={() => onEdit(one)}>
        Edit
      </button>
      <button type="button" class="button plain compact" onClick={() => dropOutgoing(one.id)}>
        Drop
      </button>
    </li>
  );
}

/** The prompts that wait for their turn, and those that are not with the server yet. */
export function Waiting({ state, onEdit }: { state: SessionState; onEdit(one: Outgoing): void }) {
  const queued = state.queue;
  const unsent = outbox.value.filter(({ session }) => session === state.id);
  if (queued.length + unsent.length === 0) return null;
  return (
    <ul class="waiting plain small" aria-label="Prompts that wait">
      {queued.map((prompt) => (
        <Queued key={prompt.id} session={state.id} prompt={prompt} />
      ))}
      {unsent.map((one) => (
        <Unsent key={one.id} one={one} onEdit={onEdit} />
      ))}
    </ul>
  );
}
