import { useState } from "preact/hooks";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { checkLaws, type Violation } from "../../../../src/core/ledger/laws.ts";
import { api, wordsOf } from "../../../data/api.ts";
import { hrefOf } from "../../../model/route.ts";

const PAGE = 1_000;

type Check =
  | { state: "none" }
  | { state: "reading"; read: number }
  | { state: "done"; read: number; first: number; violations: readonly Violation[] }
  | { state: "failed"; why: string };

async function readAll(session: string, told: (read: number) => void): Promise<ParleyEvent[]> {
  const events: ParleyEvent[] = [];
  for (let after = 0, more = true; more; ) {
    const page = await api.session(session).page({ after, limit: PAGE });
    events.push(...page.events);
    ({ next: after, more } = page);
    told(events.length);
  }
  return events;
}

/** Holds the session's events against the laws, with the checker of the product itself. */
export function LawCheck({ session }: { session: string }) {
  const [check, setCheck] = useState<Check>({ state: "none" });
  const run = async (): Promise<void> => {
    setCheck({ state: "reading", read: 0 });
    try {
      const events = await readAll(session, (read) => setCheck({ state: "reading", read }));
      setCheck({ state: "done", read: events.length, first: events[0]?.seq ?? 0, violations: checkLaws(events) });
    } catch (error) {
      setCheck({ state: "failed", why: wordsOf(error) });
    }
  };
  return (
    <>
      <button type="button" class="button compact" disabled={check.state === "reading"} onClick={run}>
        {check.state === "reading" ? `Reading ${check.read}…` : "Check the laws"}
      </button>
      {check.state === "failed" && <p class="notice bad">{check.why}</p>}
      {check.state === "done" && (
        <div class={check.violations.length > 0 ? "notice bad" : "notice"} role="status">
          {check.violations.length === 0
            ? `The laws hold over ${check.read} events${check.first > 1 ? `; older ones than #${check.first} are not kept` : ""}.`
            : `${check.violations.length} breaks in ${check.read} events:`}
          {check.violations.map(({ law, seq, message }) => (
            <p key={`${law}:${seq}:${message}`}>
              law {law}, <a href={hrefOf({ page: "session", session, tab: "events", seq })}>#{seq}</a>: {message}
            </p>
          ))}
        </div>
      )}
    </>
  );
}
