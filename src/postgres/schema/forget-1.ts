/**
 * Folding and forgetting. Each call has the epoch, and locks it against appends of the same session too: one that was sent
 * long ago and comes only now must find the numbers that it once took, or later ones.
 */
export const FORGET_1 = `
CREATE FUNCTION holds_v1(asked bigint, at_epoch bigint) RETURNS boolean LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
BEGIN
  PERFORM 1 FROM owners o WHERE o.sid = asked AND o.epoch = at_epoch AND NOT o.released FOR UPDATE;
  RETURN FOUND;
END $$;

-- Folds a slice of rows: drops runs of numbers, and raises the counts of the rows after them.
CREATE FUNCTION fold_v1(asked bigint, at_epoch bigint, drop_from bigint[], drop_to bigint[], raise_seq bigint[],
  raise_by integer[], carry_after bigint, carry integer, done_to bigint) RETURNS boolean LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
BEGIN
  IF NOT holds_v1(asked, at_epoch) THEN RETURN false; END IF;
  -- One by one: each is a walk over the rows that it drops and no others, whatever the planner knows of the table.
  FOR i IN 1 .. cardinality(drop_from) LOOP
    DELETE FROM events e WHERE e.sid = asked AND e.seq BETWEEN drop_from[i] AND drop_to[i];
    -- Appends of which nothing is left need no place in the order. The newest place stays: the next one is counted from it.
    DELETE FROM commits c WHERE c.sid = asked AND c.seq_to BETWEEN drop_from[i] AND drop_to[i] AND c.seq_from >= drop_from[i]
      AND c.position < (SELECT max(n.position) FROM commits n);
  END LOOP;
  FOR i IN 1 .. cardinality(raise_seq) LOOP
    UPDATE events e SET folded = e.folded + raise_by[i] WHERE e.sid = asked AND e.seq = raise_seq[i];
  END LOOP;
  IF carry > 0 THEN
    UPDATE events e SET folded = e.folded + carry WHERE e.sid = asked
      AND e.seq = (SELECT min(n.seq) FROM events n WHERE n.sid = asked AND n.seq > carry_after);
  END IF;
  UPDATE sessions s SET folded_to = done_to WHERE s.sid = asked;
  RETURN true;
END $$;

-- Moves a session's first number. 'turns' is the newest turn's number as the caller saw it: it made names for the turns up to that one.
CREATE FUNCTION prune_v1(asked bigint, at_epoch bigint, new_first bigint, new_base text, turns bigint, n_name text[], n_seq bigint[])
RETURNS text LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
BEGIN
  IF NOT holds_v1(asked, at_epoch) THEN RETURN 'fenced'; END IF;
  IF turns <> (SELECT max(e.seq) FROM events e WHERE e.sid = asked AND e.type = 'turn.started') THEN RETURN 'changed'; END IF;
  UPDATE sessions s SET first = new_first, base = new_base, sweep = true WHERE s.sid = asked;
  DELETE FROM names n WHERE n.sid = asked AND n.seq < new_first;
  INSERT INTO names (sid, name, seq) SELECT asked, u.n, u.q FROM unnest(n_name, n_seq) u(n, q) ON CONFLICT DO NOTHING;
  RETURN 'done';
END $$;

-- Forgets a session but for its last event.
CREATE FUNCTION remove_v1(asked bigint, at_epoch bigint, last bigint) RETURNS text LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
BEGIN
  IF NOT holds_v1(asked, at_epoch) THEN RETURN 'fenced'; END IF;
  IF last <> (SELECT max(e.seq) FROM events e WHERE e.sid = asked) THEN RETURN 'changed'; END IF;
  UPDATE sessions s SET state = NULL, base = NULL, directory = NULL, unsettled = false, first = last, sweep = true
    WHERE s.sid = asked;
  DELETE FROM names n WHERE n.sid = asked;
  RETURN 'done';
END $$;

-- Deletes a slice of what a session's first number has left behind; of any session that nobody else sweeps, unless one is
-- named. How many rows, or NULL where there is nothing to sweep.
CREATE FUNCTION sweep_v1(asked bigint, slice integer) RETURNS integer LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
DECLARE
  at_sid bigint;
  below bigint;
  upto bigint;
  gone integer;
BEGIN
  SELECT s.sid, s.first INTO at_sid, below FROM sessions s WHERE s.sweep AND (asked IS NULL OR s.sid = asked)
    ORDER BY s.sid LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT max(o.seq) INTO upto FROM
    (SELECT n.seq FROM events n WHERE n.sid = at_sid AND n.seq < below ORDER BY n.seq LIMIT slice) o;
  DELETE FROM events e WHERE e.sid = at_sid AND e.seq <= upto;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone < slice THEN
    DELETE FROM commits c WHERE c.sid = at_sid AND c.seq_to < below
      AND c.position < (SELECT max(n.position) FROM commits n);
    UPDATE sessions s SET sweep = false WHERE s.sid = at_sid;
  END IF;
  RETURN gone;
END $$;
`;
