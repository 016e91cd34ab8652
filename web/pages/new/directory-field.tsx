import { useEffect, useState } from "preact/hooks";
import { api } from "../../data/api.ts";

interface Props {
  value: string;
  onChange(value: string): void;
}

/** A directory on the server's machine, with those where sessions were before. */
export function DirectoryField({ value, onChange }: Props) {
  const [known, setKnown] = useState<readonly string[]>([]);
  useEffect(() => {
    let over = false;
    api.directories().then(
      (found) => {
        if (!over) setKnown(found.map(({ path }) => path));
      },
      () => {},
    );
    return () => {
      over = true;
    };
  }, []);
  return (
    <label class="field">
      <span>Directory on the server's machine; empty for the server's own</span>
      <input
        class="input mono"
        list="directories"
        autocomplete="off"
        spellcheck={false}
        placeholder={known[0] ?? "/home/me/project"}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id="directories">
        {known.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  );
}
