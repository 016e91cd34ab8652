import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchHit, SearchResult } from "../../../src/client/index.ts";
import { api, wordsOf } from "../../data/api.ts";
import { onKey, takeTyping } from "../../data/keyboard.ts";
import { go } from "../../data/navigation.ts";
import { hrefOf } from "../../model/route.ts";
import { Ago } from "../../ui/ago.tsx";
import { nameOf } from "../../ui/session-link.tsx";

const PAUSE_MS = 200;

const KINDS: Readonly<Record<string, string>> = {
  message: "said",
  reasoning: "thought",
  tool_call: "call",
  tool_result: "result",
};

function Hit({ hit }: { hit: SearchHit }) {
  const { session, seq, kind, role, snippet, time, agent, directory } = hit;
  return (
    <li class="hit">
      <a href={hrefOf({ page: "session", session, tab: "transcript", seq })}>
        <span class="row small">
          <strong class="cut">{nameOf(hit)}</strong>
          <span class="muted">
            {role ? `${role} ${KINDS[kind] ?? kind}` : (KINDS[kind] ?? kind.replaceAll("_", " "))}
          </span>
          <span class="muted">{agent}</span>
          <span class="muted mono grow cut">{directory}</span>
          <Ago time={time} />
        </span>
        <span class="snippet">
          {snippet.map(({ text, hit: found }, at) =>
            found ? <mark key={`${at}`}>{text}</mark> : <span key={`${at}`}>{text}</span>,
          )}
        </span>
      </a>
    </li>
  );
}

/** What was said and done, in all sessions. */
export function Search({ query }: { query: string }) {
  const [text, setText] = useState(() => query + takeTyping());
  const [result, setResult] = useState<SearchResult>();
  const [failed, setFailed] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => onKey("search", () => field.current?.focus()), []);
  const [searched, setSearched] = useState(query);
  if (query !== searched) {
    setSearched(query);
    // The address follows the field, too, and has no space at its end: the next word begins after one.
    if (query !== text.trim()) setText(query);
  }
  useEffect(() => {
    const words = text.trim();
    let over = false;
    if (words === "") {
      setResult(undefined);
      return;
    }
    const timer = setTimeout(() => {
      if (words !== query) go({ page: "search", query: words }, { replace: true });
      api.search(words).then(
        (found) => {
          if (over) return;
          setResult(found);
          setFailed(undefined);
        },
        (error: unknown) => {
          if (!over) setFailed(wordsOf(error));
        },
      );
    }, PAUSE_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [text]);
  const more = async (): Promise<void> => {
    if (!result?.next) return;
    try {
      const page = await api.search(text.trim(), { after: result.next });
      setResult({ ...page, hits: [...result.hits, ...page.hits] });
    } catch (error) {
      setFailed(wordsOf(error));
    }
  };
  return (
    <div class="page">
      <h1 class="unseen">Search</h1>
      <label class="field">
        <span>Words, “phrases”, -words that must not be there; the last word may be unfinished</span>
        <input
          ref={field}
          class="input"
          type="search"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {failed !== undefined && <p class="notice bad">{failed}</p>}
      {result?.indexing && (
        <p class="notice">
          Older events are still being read: {result.indexing.done} of {result.indexing.of}.
        </p>
      )}
      {result && result.hits.length === 0 && !result.next && <p class="empty">Nothing was found.</p>}
      <ul class="plain card rows" hidden={!result || result.hits.length === 0} aria-label="Found">
        {result?.hits.map((hit) => (
          <Hit key={`${hit.session}:${hit.seq}`} hit={hit} />
        ))}
      </ul>
      {result?.next && (
        <button type="button" class="button" onClick={more}>
          More
        </button>
      )}
    </div>
  );
}
