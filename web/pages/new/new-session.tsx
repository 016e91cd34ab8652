import { useEffect, useState } from "preact/hooks";
import type { AgentInfo, NewSession as Wish } from "../../../src/client/index.ts";
import type { OptionValues } from "../../../src/core/events/values.ts";
import { agents, loadAgents } from "../../data/agents.ts";
import { api, wordsOf } from "../../data/api.ts";
import { go } from "../../data/navigation.ts";
import { chosenAgent, optionsFor, usableAgents } from "../../model/new-session.ts";
import { OptionFields } from "../../ui/option-fields.tsx";
import { attempt } from "../../ui/toasts.tsx";
import { DirectoryField } from "./directory-field.tsx";

/** What the agent has in the directory: models, modes and options differ by project. */
function useAgentIn(name: string | undefined, directory: string): AgentInfo | undefined {
  const [info, setInfo] = useState<AgentInfo>();
  useEffect(() => {
    let over = false;
    setInfo(undefined);
    if (name === undefined) return;
    const known = agents.value?.find((agent) => agent.name === name);
    api.agent(name, directory || undefined).then(
      (found) => {
        if (!over) setInfo(found);
      },
      () => {
        if (!over) setInfo(known);
      },
    );
    return () => {
      over = true;
    };
  }, [name, directory]);
  return info ?? agents.value?.find((agent) => agent.name === name);
}

/** Begins a session: where, with which agent, and how. */
export function NewSession({ directory: given }: { directory?: string }) {
  const [directory, setDirectory] = useState(given ?? "");
  const [name, setName] = useState<string>();
  const [model, setModel] = useState("");
  const [mode, setMode] = useState("");
  const [options, setOptions] = useState<OptionValues>({});
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    loadAgents().catch((error: unknown) => setFailed(wordsOf(error)));
  }, []);
  const all = agents.value;
  const chosen = all && chosenAgent(all, name);
  const info = useAgentIn(chosen?.name, directory);
  const choose = (next: string): void => {
    setName(next);
    setModel("");
    setMode("");
    setOptions({});
  };
  async function begin(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    await attempt(async () => {
      const wish: Wish = { agent: chosen?.name, options };
      if (directory.trim() !== "") wish.directory = directory.trim();
      if (model !== "") wish.model = model;
      if (mode !== "") wish.mode = mode;
      if (title.trim() !== "") wish.title = title.trim();
      const session = await api.sessions.create(wish);
      if (text.trim() !== "") await api.session(session).prompt({ text, attended: true });
      go({ page: "session", session: session.id, tab: "transcript" });
    });
    setBusy(false);
  }
  return (
    <form class="page narrow" onSubmit={begin}>
      <header>
        <h1>New session</h1>
      </header>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      <DirectoryField value={directory} onChange={setDirectory} />
      <label class="field">
        <span>Agent</span>
        <select class="input" value={chosen?.name} onChange={(event) => choose(event.currentTarget.value)}>
          {usableAgents(all ?? []).map(({ name: one, detail, credentials }) => (
            <option key={one} value={one} title={detail}>
              {one}
              {credentials === "missing" ? " (not logged in)" : ""}
            </option>
          ))}
        </select>
      </label>
      {info && (
        <>
          <div class="two">
            <label class="field">
              <span>Model</span>
              <input
                class="input"
                list="models"
                placeholder={info.defaultModel ?? info.models[0]?.id ?? "the agent's own"}
                value={model}
                onInput={(event) => setModel(event.currentTarget.value)}
              />
              <datalist id="models">
                {info.models.map(({ id, name: label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </datalist>
            </label>
            {info.modes.length > 0 && (
              <label class="field">
                <span>Mode</span>
                <select class="input" value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
                  <option value="">the agent's own</option>
                  {info.modes
                    .filter(({ hidden }) => !hidden)
                    .map(({ id, name: label, description }) => (
                      <option key={id} value={id} title={description}>
                        {label ?? id}
                      </option>
                    ))}
                </select>
              </label>
            )}
          </div>
          <OptionFields options={optionsFor(info, model)} values={options} onChange={setOptions} />
        </>
      )}
      <label class="field">
        <span>Title (may stay empty)</span>
        <input class="input" value={title} maxLength={300} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>First prompt (may stay empty)</span>
        <textarea class="input" rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="submit" class="button first" disabled={busy || !chosen}>
          Begin
        </button>
      </div>
    </form>
  );
}
