import { useEffect, useState } from "preact/hooks";
import type { AgentInfo } from "../../../src/client/index.ts";
import { agents, loadAgents } from "../../data/agents.ts";
import { wordsOf } from "../../data/api.ts";

const LOGINS: Readonly<Record<AgentInfo["credentials"], string>> = {
  found: "logged in",
  missing: "not logged in",
  not_needed: "needs no login",
  unknown: "login not known",
};

/** The one thing to do before the agent can work, if any. */
function todo({ installed, credentials, detail, login }: AgentInfo): string | undefined {
  if (!installed) return detail ?? "install it";
  return credentials === "missing" ? (login ?? "log in with the agent's own program") : undefined;
}

function AgentCard({ agent }: { agent: AgentInfo }) {
  const { name, version, installed, credentials, models, modes, capabilities } = agent;
  const wanted = todo(agent);
  const able = Object.entries(capabilities).flatMap(([able, has]) =>
    has === true ? [able] : Array.isArray(has) && has.length > 0 ? [`${able}: ${has.join(", ")}`] : [],
  );
  return (
    <article class="card agent">
      <header class="row">
        <h2>{name}</h2>
        {agent.default && <span class="tag">default</span>}
        <span class="grow" />
        <span class="muted small">{installed ? (version ?? "installed") : "not installed"}</span>
        {installed && <span class={credentials === "missing" ? "tag bad" : "tag"}>{LOGINS[credentials]}</span>}
      </header>
      {wanted !== undefined && <p class="notice need">{wanted}</p>}
      {wanted === undefined && agent.detail !== undefined && <p class="muted small mono">{agent.detail}</p>}
      {installed && (
        <dl class="facts">
          <div>
            <dt>Models</dt>
            <dd>
              {models.length === 0 ? (
                "not known"
              ) : (
                <details>
                  <summary>
                    {models.length} {agent.otherModels ? "and others" : ""}
                  </summary>
                  <ul class="plain mono">
                    {models.map(({ id, name: label }) => (
                      <li key={id}>
                        {id}
                        {label && label !== id ? ` — ${label}` : ""}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </dd>
          </div>
          <div>
            <dt>Modes</dt>
            <dd>
              {modes
                .filter(({ hidden }) => !hidden)
                .map(({ id }) => id)
                .join(", ") || "none"}
            </dd>
          </div>
          <div>
            <dt>Can</dt>
            <dd>{able.join(", ") || "answer prompts"}</dd>
          </div>
        </dl>
      )}
    </article>
  );
}

/** The agents of the server: installed or not, logged in or not, and what to do. */
export function Agents() {
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    loadAgents().catch((error: unknown) => setFailed(wordsOf(error)));
  }, []);
  const all = agents.value;
  return (
    <div class="page">
      <header>
        <h1>Agents</h1>
        <button
          type="button"
          class="button compact"
          onClick={() => loadAgents().catch((error) => setFailed(wordsOf(error)))}
        >
          Look again
        </button>
      </header>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      {!all && failed === undefined && <p class="empty">Asking the agents…</p>}
      {all?.map((agent) => (
        <AgentCard key={agent.name} agent={agent} />
      ))}
    </div>
  );
}
