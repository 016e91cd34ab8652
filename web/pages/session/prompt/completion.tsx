import { useEffect, useState } from "preact/hooks";
import type { SlashCommand } from "../../../../src/client/index.ts";
import { filesFitting } from "../../../data/offers.ts";
import { type Completing, fittingCommands } from "../../../model/draft.ts";

/** One name that is offered. */
export interface Offer {
  name: string;
  about?: string;
  /** A directory: its files are offered next. */
  goesOn?: boolean;
}

const MOST = 10;
const STILL_MS = 60;

/** The names that fit the word under the cursor: commands at once, files from the server. */
export function useOffers(
  completing: Completing | undefined,
  commands: readonly SlashCommand[],
  directory: string,
): Offer[] {
  const [files, setFiles] = useState<Offer[]>([]);
  const word = completing?.kind === "file" ? completing.word : undefined;
  useEffect(() => {
    if (word === undefined) return setFiles([]);
    let over = false;
    const timer = setTimeout(() => {
      void filesFitting(directory, word, MOST).then((found) => {
        if (!over) setFiles(found.map(({ path, directory: goesOn }) => ({ name: goesOn ? `${path}/` : path, goesOn })));
      });
    }, STILL_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [word, directory]);
  if (completing?.kind !== "command") return word === undefined ? [] : files;
  return fittingCommands(commands, completing.word)
    .slice(0, MOST)
    .map(({ name, description, hint }) => ({
      name,
      about: [hint, description].filter((text) => text && text !== "$ARGUMENTS").join(" · "),
    }));
}

interface Props {
  offers: readonly Offer[];
  sign: "/" | "@";
  at: number;
  onChoose(offer: Offer): void;
}

export function Completion({ offers, sign, at, onChoose }: Props) {
  return (
    <div class="completion" id="prompt-offers" role="listbox" aria-label={sign === "/" ? "Commands" : "Files"}>
      {offers.map((offer, index) => (
        <button
          key={offer.name}
          type="button"
          role="option"
          id={`prompt-offer-${index}`}
          aria-selected={index === at}
          tabIndex={-1}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            onChoose(offer);
          }}
        >
          <span class="mono">
            {sign}
            {offer.name}
          </span>
          {offer.about && <span class="small muted cut">{offer.about}</span>}
        </button>
      ))}
    </div>
  );
}
