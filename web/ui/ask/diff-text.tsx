import { Scrollable } from "../scrollable.tsx";

const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

function kindOf(line: string): string | undefined {
  return /^(\+\+\+|---) /.test(line) ? "file" : KINDS[line[0] ?? ""];
}

/** A unified diff, whole, with its signs. */
export function DiffText({ path, diff }: { path?: string; diff: string }) {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <figure class="diff-text">
      {path !== undefined && <figcaption class="mono">{path}</figcaption>}
      <Scrollable label={path === undefined ? "Changes" : `Changes of ${path}`}>
        {lines.map((line, at) => (
          <span key={at} class={kindOf(line)}>
            {line}
            {"\n"}
          </span>
        ))}
      </Scrollable>
    </figure>
  );
}
