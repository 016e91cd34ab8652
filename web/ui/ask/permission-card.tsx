import { useState } from "preact/hooks";
import type { Ask } from "../../../src/client/index.ts";
import { isSending } from "../../data/asks.ts";
import { permissionView } from "../../model/ask.ts";
import { Scrollable } from "../scrollable.tsx";
import { takeFocus } from "../take-focus.ts";
import { answerAsk } from "./answering.ts";
import { DiffText } from "./diff-text.tsx";

interface Props {
  ask: Ask & { kind: "permission" };
  over: boolean;
}

/** A permission: the whole of what would be done, then the answers. "Always" is never beside "reject". */
export function PermissionCard({ ask, over }: Props) {
  const view = permissionView(ask);
  const [rejecting, setRejecting] = useState(false);
  const [words, setWords] = useState("");
  const off = over || isSending(ask.id);
  const reject = (event: Event): void => {
    event.preventDefault();
    const feedback = words.trim();
    void answerAsk(ask, feedback === "" ? "reject" : { outcome: "reject", feedback });
  };
  return (
    <>
      <h3>Wants to {view.headline}</h3>
      {view.reason !== undefined && <p class="muted">{view.reason}</p>}
      {view.command !== undefined && (
        <Scrollable class="command" label="Command">
          {view.command}
        </Scrollable>
      )}
      {view.diffs.map(({ path, diff }) => (
        <DiffText key={path ?? diff} path={path} diff={diff} />
      ))}
      {view.input !== undefined && (
        <Scrollable class="command" label="Input">
          {view.input}
        </Scrollable>
      )}
      {!over && (
        <div class="answers">
          <button
            type="button"
            class="button first"
            data-answer="once"
            disabled={off}
            onClick={() => answerAsk(ask, "once")}
          >
            {view.once}
          </button>
          <button
            type="button"
            class="button bad"
            data-answer="reject"
            aria-expanded={rejecting}
            disabled={off}
            onClick={() => setRejecting(!rejecting)}
          >
            Reject…
          </button>
          {view.always && (
            <button
              type="button"
              class="button always"
              data-answer="always"
              disabled={off}
              onClick={() => answerAsk(ask, "always")}
            >
              {view.always.label}
              {view.always.covers !== undefined && <small class="muted cut">{view.always.covers}</small>}
            </button>
          )}
        </div>
      )}
      {!over && rejecting && (
        <form class="row" onSubmit={reject}>
          <label class="field grow">
            <span>What should it do instead? (may stay empty)</span>
            <input
              class="input"
              ref={takeFocus}
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setRejecting(false);
              }}
            />
          </label>
          <button type="submit" class="button bad" disabled={off}>
            Reject
          </button>
        </form>
      )}
    </>
  );
}
