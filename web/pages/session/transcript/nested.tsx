import { useLayoutEffect, useState } from "preact/hooks";
import { type OpenTranscript, openTranscript } from "../../../data/transcripts.ts";
import { TranscriptTop, TranscriptView } from "./transcript.tsx";

/** A session's transcript, open for as long as this is shown. */
export function useTranscript(id: string): OpenTranscript | undefined {
  const [open, setOpen] = useState<OpenTranscript>();
  useLayoutEffect(() => {
    const transcript = openTranscript(id);
    setOpen(transcript);
    return () => {
      setOpen(undefined);
      transcript[Symbol.dispose]();
    };
  }, [id]);
  return open?.feed.session === id ? open : undefined;
}

/** The transcript of a sub-agent, inside of another. */
export function Nested({ id }: { id: string }) {
  const open = useTranscript(id);
  if (!open) return null;
  return (
    <>
      <TranscriptTop status={open.feed.status.value} onOlder={() => void open.feed.older()} />
      <TranscriptView now={open.now} />
    </>
  );
}
