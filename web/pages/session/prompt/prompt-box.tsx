import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SlashCommand } from "../../../../src/client/index.ts";
import type { SessionState } from "../../../../src/core/session-state.ts";
import { api } from "../../../data/api.ts";
import { onKeys } from "../../../data/keyboard.ts";
import { agentInfo, commandsOf } from "../../../data/offers.ts";
import { dropOutgoing, newOutgoing, type Outgoing, sendOutgoing } from "../../../data/outbox.ts";
import { complete, completingAt, sendingOf } from "../../../model/draft.ts";
import { bytes } from "../../../model/words.ts";
import { attempt } from "../../../ui/toasts.tsx";
import { attach } from "./attaching.ts";
import { Choices } from "./choices.tsx";
import { Completion, type Offer, useOffers } from "./completion.tsx";
import { draftOf } from "./draft-of.ts";
import { Waiting } from "./waiting.tsx";

/** Where fingers write, Enter begins a new line: there is no Shift at hand. */
const touches = matchMedia("(pointer: coarse)");
const MAX_HEIGHT = 0.4;

function filesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])];
}

/** The place to write prompts of one session. */
export function PromptBox({ state }: { state: SessionState }) {
  const { id, agent, directory } = state;
  const draft = draftOf(id);
  const text = draft.text.value;
  const attachments = draft.attachments.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [cursor, setCursor] = useState(0);
  const [chosen, setChosen] = useState(0);
  const [hidden, setHidden] = useState(false);
  const [steers, setSteers] = useState(false);
  const [commands, setCommands] = useState<SlashCommand[]>([]);
  const [over, setOver] = useState(false);
  const info = agentInfo(agent, directory).value;
  const busy = state.turn !== null;
  const slash = text.startsWith("/");

  useEffect(() => {
    if (!slash) return;
    let late = false;
    void commandsOf(id).then((found) => {
      if (!late) setCommands(found);
    });
    return () => {
      late = true;
    };
  }, [id, slash]);

  const completing = hidden ? undefined : completingAt(text, cursor);
  const builtIn: SlashCommand[] =
    info?.capabilities.compact && !commands.some(({ name }) => name === "compact")
      ? [{ name: "compact", description: "shorten the conversation", source: "parley" }]
      : [];
  const offers = useOffers(completing, [...commands, ...builtIn], directory);
  const at = Math.min(chosen, offers.length - 1);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    // Not "auto": a grid stretches that, and the text would be as high as its place.
    area.style.blockSize = "0";
    area.style.blockSize = `${Math.min(area.scrollHeight + 2, innerHeight * MAX_HEIGHT)}px`;
  }, [text]);

  useEffect(
    () =>
      onKeys({
        prompt: () => field.current?.focus(),
        stop: () => void attempt(() => api.session(id).cancel({ queue: "keep" })),
      }),
    [id],
  );

  const write = (value: string, place: number): void => {
    draft.write(value);
    setCursor(place);
    setChosen(0);
    setHidden(false);
  };

  const choose = (offer: Offer): void => {
    if (!completing) return;
    const done = complete(text, completing, offer.name, offer.goesOn);
    if (completing.kind === "file" && !offer.goesOn) draft.files.value = [...draft.files.value, offer.name];
    write(done.text, done.cursor);
    requestAnimationFrame(() => field.current?.setSelectionRange(done.cursor, done.cursor));
  };

  const send = (): void => {
    const known = { commands, compacts: info?.capabilities.compact ?? false };
    const sending = sendingOf({ text, attachments, files: draft.files.value }, known);
    if (!sending) return;
    const one = newOutgoing(id, text.trim(), sending, busy && steers ? "steer" : "queue");
    draft.text.value = "";
    draft.attachments.value = [];
    draft.files.value = [];
    setCursor(0);
    // The browser keeps the words until the server has them.
    void sendOutgoing(one).then((sent) => {
      if (sent && draft.text.peek() === "") draft.write("");
    });
  };

  const edit = (one: Outgoing): void => {
    dropOutgoing(one.id);
    draft.write(draft.text.peek() === "" ? one.text : `${one.text}\n${draft.text.peek()}`);
    field.current?.focus();
  };

  const add = (files: File[]): void => {
    if (files.length === 0) return;
    void attempt(async () => {
      draft.attachments.value = await attach(files, draft.attachments.peek());
    });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (offers.length > 0 && completing) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const offer = offers[at];
      if (step !== 0) {
        event.preventDefault();
        return setChosen((at + step + offers.length) % offers.length);
      }
      if ((event.key === "Enter" || event.key === "Tab") && offer && !event.shiftKey) {
        // A command that is written out is sent, not completed once more.
        const whole = completing.kind === "command" && offer.name === completing.word;
        if (event.key === "Tab" || !whole) {
          event.preventDefault();
          return choose(offer);
        }
      }
      if (event.key === "Escape") {
        event.preventDefault();
        return setHidden(true);
      }
    }
    if (event.key === "Escape") return field.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || (touches.matches && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    send();
  };

  const isShell = text.startsWith("!");
  return (
    <form
      class={`prompt-box${over ? " over" : ""}`}
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        add(filesIn(event.dataTransfer));
      }}
    >
      <Waiting state={state} onEdit={edit} />
      {completing && offers.length > 0 && (
        <Completion offers={offers} sign={completing.kind === "command" ? "/" : "@"} at={at} onChoose={choose} />
      )}
      <div class={`prompt-field${isShell ? " shell" : ""}`}>
        {attachments.length > 0 && (
          <ul class="plain row attachments">
            {attachments.map((one, index) => (
              <li key={index} class="chip">
                {one.name} <span class="muted">{bytes(one.size)}</span>
                <button
                  type="button"
                  class="plain-button"
                  aria-label={`Remove ${one.name}`}
                  onClick={() => {
                    draft.attachments.value = attachments.filter((other) => other !== one);
                  }}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={field}
          rows={1}
          aria-label="Prompt"
          aria-autocomplete="list"
          aria-controls={offers.length > 0 ? "prompt-offers" : undefined}
          aria-activedescendant={offers.length > 0 ? `prompt-offer-${at}` : undefined}
          placeholder={busy ? "Say more" : "Prompt, /command, @file, !shell"}
          value={text}
          onInput={(event) => write(event.currentTarget.value, event.currentTarget.selectionStart)}
          onClick={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyUp={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = filesIn(event.clipboardData);
            if (files.length === 0) return;
            event.preventDefault();
            add(files);
          }}
        />
        <div class="prompt-bar">
          <button
            type="button"
            class="button plain compact"
            aria-label="Attach files"
            title="Attach files"
            onClick={() => picker.current?.click()}
          >
            +
          </button>
          <input
            ref={picker}
            class="unseen"
            type="file"
            multiple
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
          <Choices state={state} info={info} />
          <span class="grow" />
          {busy && (
            <fieldset class="segmented" aria-label="While it works">
              <button type="button" aria-pressed={!steers} onClick={() => setSteers(false)}>
                Queue
              </button>
              <button type="button" aria-pressed={steers} onClick={() => setSteers(true)}>
                Steer
              </button>
            </fieldset>
          )}
          {busy && (
            <button
              type="button"
              class="button compact bad"
              onClick={() => attempt(() => api.session(id).cancel({ queue: "keep" }))}
            >
              Stop
            </button>
          )}
          <button type="submit" class="button compact first" disabled={text.trim() === "" && attachments.length === 0}>
            {isShell ? "Run" : "Send"}
          </button>
        </div>
      </div>
    </form>
  );
}
