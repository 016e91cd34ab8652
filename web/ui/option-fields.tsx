import type { AgentOption, OptionValues } from "../../src/core/events/values.ts";

interface Props {
  options: readonly AgentOption[];
  values: OptionValues;
  onChange(values: OptionValues): void;
}

/** The options of an agent beside model and mode, such as effort. One that is not chosen is the agent's own affair. */
export function OptionFields({ options, values, onChange }: Props) {
  const set = (id: string, value: string | boolean | undefined): void => {
    const { [id]: _, ...rest } = values;
    onChange(value === undefined ? rest : { ...rest, [id]: value });
  };
  if (options.length === 0) return null;
  return (
    <div class="two">
      {options.map(({ id, name, description, kind, values: choices = [] }) => (
        <label key={id} class="field" title={description}>
          <span>{name ?? id}</span>
          <select
            class="input"
            value={String(values[id] ?? "")}
            onChange={(event) => {
              const { value } = event.currentTarget;
              set(id, value === "" ? undefined : kind === "boolean" ? value === "true" : value);
            }}
          >
            <option value="">the agent's own</option>
            {kind === "boolean" ? (
              <>
                <option value="true">on</option>
                <option value="false">off</option>
              </>
            ) : (
              choices.map((choice) => (
                <option key={choice.id} value={choice.id} title={choice.description}>
                  {choice.name ?? choice.id}
                </option>
              ))
            )}
          </select>
        </label>
      ))}
    </div>
  );
}
