import { useState } from "preact/hooks";
import { say } from "./toasts.tsx";

const SAID_MS = 1_500;

/** Copies a text. Browsers allow it on https and on this machine alone: elsewhere it says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    say("The browser does not let this page copy: select the text instead.", { bad: true });
    return false;
  }
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setDone(true);
    setTimeout(() => setDone(false), SAID_MS);
  };
  return (
    <button type="button" class="button plain compact copy" onClick={copy}>
      {done ? "Copied" : label}
    </button>
  );
}
