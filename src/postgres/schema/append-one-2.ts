/**
 * The append of one event, which is what agents make most: a piece of text. It keeps every rule of `append_v1`, and spares
 * what only groups need: lists, and an answer that is a table. It takes no event that changes the session's state or is
 * found by a name.
 */
export const APPEND_ONE_2 = `
CREATE FUNCTION append_one_v1(me bigint, a_id text, a_sid bigint, a_epoch bigint, a_seq bigint,
  a_type text, a_item text, a_json text, a_native bytea)
RETURNS text LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
DECLARE
  last bigint;
BEGIN
  PERFORM 1 FROM owners o JOIN sessions s ON s.sid = o.sid AND s.id = a_id
    WHERE o.sid = a_sid AND o.node = me AND o.epoch = a_epoch AND NOT o.released FOR SHARE OF o;
  IF NOT FOUND THEN RETURN 'fenced'; END IF;
  -- A statement of its own, after the lock: a fold that was waited for may have taken numbers away.
  SELECT max(e.seq) INTO last FROM events e WHERE e.sid = a_sid;
  IF last >= a_seq THEN RETURN 'repeated'; END IF;
  IF last IS DISTINCT FROM a_seq - 1 THEN RETURN 'lost'; END IF;
  INSERT INTO events (sid, seq, type, item, json, native) VALUES (a_sid, a_seq, a_type, a_item, a_json, a_native);
  INSERT INTO unordered (sid, seq_from, seq_to, epoch) VALUES (a_sid, a_seq, a_seq, a_epoch);
  RETURN 'stored';
END $$;
`;
