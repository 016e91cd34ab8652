import { useState } from "preact/hooks";
import type { Ask } from "../../../src/client/index.ts";
import type { Question } from "../../../src/core/events/values.ts";
import { isSending } from "../../data/asks.ts";
import { answersOf, type Choices, noChoice, pick, write } from "../../model/ask.ts";
import { later } from "../later.tsx";
import { answerAsk } from "./answering.ts";

interface Props {
  ask: Ask & { kind: "question" };
  over: boolean;
}

/** Plans are written as Markdown; its parts are loaded with the first one. */
const Text = later(async () => (await import("../markdown/markdown.tsx")).Markdown);

interface OneProps {
  question: Question;
  plan: boolean;
  name: string;
  choice: Choices[number];
  off: boolean;
  onPick(label: string): void;
  onWrite(text: string): void;
}

/** One question with its options. */
function One({ question, plan, name, choice, off, onPick, onWrite }: OneProps) {
  const { multiple = false, custom = false, options } = question;
  return (
    <fieldset class="question" disabled={off}>
      <legend>
        {question.header && <span class="muted small">{question.header}</span>}
        {plan ? <Text text={question.question} /> : <span class="words">{question.question}</span>}
      </legend>
      {options.map(({ label, description }) => (
        <label key={label} class="option">
          <input
            type={multiple ? "checkbox" : "radio"}
            name={name}
            checked={choice.picked.includes(label)}
            onChange={() => onPick(label)}
          />
          <span>
            {label}
            {description && <small class="muted">{description}</small>}
          </span>
        </label>
      ))}
      {(custom || options.length === 0) && (
        <textarea
          class="input"
          rows={options.length === 0 ? 3 : 1}
          aria-label={options.length === 0 ? "Answer" : "Another answer"}
          placeholder={options.length === 0 ? "Your answer" : "Something else"}
          value={choice.own}
          onInput={(event) => onWrite(event.currentTarget.value)}
        />
      )}
    </fieldset>
  );
}

/** Questions of an agent, a plan to approve, or the question of trust. */
export function QuestionCard({ ask, over }: Props) {
  const { questions, kind } = ask.request;
  const [choices, setChoices] = useState<Choices>(() => questions.map(() => noChoice));
  const off = over || isSending(ask.id);
  const answers = answersOf(choices);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (answers) void answerAsk(ask, { outcome: "answered", answers });
  };
  return (
    <form onSubmit={submit}>
      <h3>{kind === "plan" ? "Has a plan" : kind === "trust" ? "Asks about this project" : "Asks"}</h3>
      {questions.map((question, at) => (
        <One
          key={at}
          question={question}
          plan={kind === "plan"}
          name={`${ask.id}-${at}`}
          choice={choices[at] ?? noChoice}
          off={off}
          onPick={(label) => setChoices(pick(choices, at, label, question.multiple ?? false))}
          onWrite={(text) => setChoices(write(choices, at, text, question.multiple ?? false))}
        />
      ))}
      {!over && (
        <div class="answers">
          <button type="submit" class="button first" data-answer="once" disabled={off || !answers}>
            Answer
          </button>
          <button
            type="button"
            class="button bad"
            data-answer="reject"
            disabled={off}
            onClick={() => answerAsk(ask, "rejected")}
          >
            Do not answer
          </button>
        </div>
      )}
    </form>
  );
}
