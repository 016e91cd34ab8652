import { useState } from "preact/hooks";
import { noticeChoice, noticesPossible, playNotice } from "../data/notify.ts";
import { NOTICE_KINDS, NOTICE_NAMES } from "../model/notices.ts";
import { Dialog } from "./dialog.tsx";

/** The choice of notices: of what, and whether they are heard. */
export function NoticeSettings({ onClose }: { onClose(): void }) {
  const { kinds, sound } = noticeChoice.now.value;
  const possible = noticesPossible();
  const [permission, setPermission] = useState(possible ? Notification.permission : "denied");
  return (
    <Dialog title="Notices" onClose={onClose}>
      <div class="menu">
        {!possible && (
          <p class="notice">
            The browser shows notices only on https or on the server's own machine. The title of the tab counts who
            needs you all the same.
          </p>
        )}
        {possible && permission === "default" && (
          <button
            type="button"
            class="button first"
            onClick={async () => setPermission(await Notification.requestPermission())}
          >
            Let this page show notices
          </button>
        )}
        {possible && permission === "denied" && (
          <p class="notice">
            The browser was told to show no notices of this page: its settings of this site change that.
          </p>
        )}
        {NOTICE_KINDS.map((kind) => (
          <label key={kind} class="row">
            <input
              type="checkbox"
              checked={kinds.includes(kind)}
              onChange={(event) => {
                const others = kinds.filter((one) => one !== kind);
                noticeChoice.set({ sound, kinds: event.currentTarget.checked ? [...others, kind] : others });
              }}
            />
            {NOTICE_NAMES[kind]}
          </label>
        ))}
        <label class="row">
          <input
            type="checkbox"
            checked={sound}
            onChange={(event) => {
              noticeChoice.set({ kinds, sound: event.currentTarget.checked });
              if (event.currentTarget.checked) playNotice("ask");
            }}
          />
          With a sound
        </label>
        <p class="muted small">
          Of all tabs of this server one shows notices and sounds. A session that you look at is silent.
        </p>
      </div>
    </Dialog>
  );
}
