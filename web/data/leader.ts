import { signal } from "@preact/signals";

/** Whether this tab leads: of all tabs of this server one shows notifications and makes sounds. */
export const leads = signal(false);

/** Stands for the lead; the browser gives it to the next tab when this one is gone. */
export function standForLead(): void {
  if (!("locks" in navigator)) {
    // Plain HTTP on a network address has no locks: each tab is alone.
    leads.value = true;
    return;
  }
  void navigator.locks.request("parley.leader", () => {
    leads.value = true;
    return new Promise<never>(() => {});
  });
}
