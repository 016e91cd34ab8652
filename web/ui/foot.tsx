import { signal } from "@preact/signals";
import { logOut } from "../data/login.ts";
import { KeyHelp } from "./key-help.tsx";
import { NoticeSettings } from "./notice-settings.tsx";
import { attempt } from "./toasts.tsx";

/** The dialog that is open over the page. */
const open = signal<"keys" | "notices" | undefined>(undefined);

export function showKeys(): void {
  open.value = "keys";
}

/** Notices, keys and the way out. */
export function Foot() {
  return (
    <div class="foot row">
      <button type="button" class="button plain compact" onClick={() => (open.value = "notices")}>
        Notices
      </button>
      <button type="button" class="button plain compact" onClick={showKeys}>
        Keys
      </button>
      <button type="button" class="button plain compact" onClick={() => attempt(logOut)}>
        Log out
      </button>
    </div>
  );
}

export function OpenDialog() {
  const close = (): void => {
    open.value = undefined;
  };
  if (open.value === "keys") return <KeyHelp onClose={close} />;
  return open.value === "notices" ? <NoticeSettings onClose={close} /> : null;
}
