import { KEYS } from "../model/keys.ts";
import { Dialog } from "./dialog.tsx";

/** The table of keys. */
export function KeyHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {Object.values(KEYS).map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
