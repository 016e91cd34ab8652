import type { ComponentChildren } from "preact";

interface Props {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A text that may be longer than its place. The keyboard can reach and scroll it. */
export function Scrollable({ label, class: style, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard
    <section class={`scrollable ${style ?? ""}`} aria-label={label} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}

/** A table that may be wider than its place. */
export function WideTable({ label, class: style, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard
    <section class={style} aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </section>
  );
}
