import type { ShownAsk } from "../../data/asks.ts";
import { chosenAsk } from "../../data/chosen.ts";
import { stateOf } from "../../data/sessions.ts";
import { resolutionWords } from "../../model/ask.ts";
import { hrefOf } from "../../model/route.ts";
import { Ago } from "../ago.tsx";
import { nameOf } from "../session-link.tsx";
import { PermissionCard } from "./permission-card.tsx";
import { QuestionCard } from "./question-card.tsx";

/** The session of an ask, and the one that its sub-agent works for. */
function Whose({ ask, root }: Pick<ShownAsk, "ask" | "root">) {
  const state = stateOf(root)?.value ?? stateOf(ask.session)?.value;
  const about = state ?? ask.about;
  return (
    <a class="cut" href={hrefOf({ page: "session", session: root, tab: "transcript" })}>
      {about ? nameOf(about) : root}
      {ask.session !== root && " › sub-agent"}
    </a>
  );
}

interface AskCardProps {
  shown: ShownAsk;
  /** In its own session's transcript the name of the session is said already. */
  inPlace?: boolean;
}

/** An ask that is answered where it stands. Once it is answered, here or elsewhere, it says by whom. */
export function AskCard({ shown: { ask, root, resolution }, inPlace = false }: AskCardProps) {
  const chosen = ask.id === chosenAsk.value;
  const state = stateOf(root)?.value;
  return (
    <article
      class={`card ask${chosen ? " chosen" : ""}${resolution ? " over" : ""}`}
      data-ask={ask.id}
      aria-current={chosen || undefined}
      aria-label={ask.kind === "permission" ? "Permission" : "Question"}
      tabIndex={-1}
    >
      {!inPlace && (
        <header class="row small muted">
          <Whose ask={ask} root={root} />
          <span>{state?.agent ?? ask.about?.agent}</span>
          <span class="grow cut mono">{state?.directory ?? ask.about?.directory}</span>
          <Ago time={ask.time} />
        </header>
      )}
      {ask.kind === "permission" ? (
        <PermissionCard ask={ask} over={resolution !== undefined} />
      ) : (
        <QuestionCard ask={ask} over={resolution !== undefined} />
      )}
      {resolution && (
        <p class="notice" role="status">
          {resolutionWords(resolution)}
          {resolution.feedback ? `: ${resolution.feedback}` : ""}
        </p>
      )}
    </article>
  );
}
