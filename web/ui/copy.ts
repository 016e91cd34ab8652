import { say } from "./toasts.tsx";

/** Copies a text, and says so. Plain HTTP on a network address has no clipboard. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} is copied.`);
  } catch {
    say("The browser lets this page copy nothing: it needs https, or this machine itself.", { bad: true });
  }
}
