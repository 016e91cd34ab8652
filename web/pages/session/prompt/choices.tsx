import type { AgentInfo } from "../../../../src/client/index.ts";
import type { AgentOption, OptionValue } from "../../../../src/core/events/values.ts";
import type { SessionState } from "../../../../src/core/session-state.ts";
import { api } from "../../../data/api.ts";
import { attempt } from "../../../ui/toasts.tsx";

interface Choice {
  id: string;
  name?: string;
  description?: string;
}

interface PickProps {
  label: string;
  value: string;
  choices: readonly Choice[];
  onPick(id: string): void;
}

/** One menu. A value that is not among the choices is shown, too. */
function Pick({ label, value, choices, onPick }: PickProps) {
  const known = choices.some(({ id }) => id === value);
  return (
    <select
      class="pick"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onPick(event.currentTarget.value)}
    >
      {!known && <option value={value}>{value || label}</option>}
      {choices.map(({ id, name, description }) => (
        <option key={id} value={id} title={description}>
          {name ?? id}
        </option>
      ))}
    </select>
  );
}

function OptionPick({
  option,
  value,
  onPick,
}: {
  option: AgentOption;
  value: OptionValue | undefined;
  onPick(value: OptionValue): void;
}) {
  const label = option.name ?? option.id;
  const now = value ?? option.default;
  if (option.kind === "boolean")
    return (
      <label class="row small">
        <input type="checkbox" checked={now === true} onChange={(event) => onPick(event.currentTarget.checked)} />
        {label}
      </label>
    );
  return (
    <Pick
      label={label}
      value={typeof now === "string" ? now : ""}
      choices={(option.values ?? []).map((one) => ({ ...one, name: `${label}: ${one.name ?? one.id}` }))}
      onPick={onPick}
    />
  );
}

/** Model, mode and the agent's other options, for the next turn on. */
export function Choices({ state, info }: { state: SessionState; info: AgentInfo | undefined }) {
  const change = (what: Parameters<ReturnType<typeof api.session>["update"]>[0]): void =>
    void attempt(() => api.session(state.id).update(what));
  const models = info?.models ?? [];
  const model = state.model ?? info?.defaultModel ?? models[0]?.id ?? "";
  const modes = (info?.modes ?? []).filter(({ hidden }) => !hidden);
  const options = state.offers ?? models.find(({ id }) => id === model)?.options ?? info?.options ?? [];
  return (
    <>
      {models.length > 0 && (
        <Pick label="Model" value={model} choices={models} onPick={(id) => change({ model: id })} />
      )}
      {modes.length > 0 && (
        <Pick
          label="Mode"
          value={state.mode ?? modes[0]?.id ?? ""}
          choices={modes}
          onPick={(mode) => change({ mode })}
        />
      )}
      {options.map((option) => (
        <OptionPick
          key={option.id}
          option={option}
          value={state.options?.[option.id]}
          onPick={(value) => change({ options: { ...state.options, [option.id]: value } })}
        />
      ))}
    </>
  );
}
