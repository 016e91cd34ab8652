/**
 * A database that failed over to a replica which lagged, or was restored, gives numbers out again that clients have seen
 * under other events. A node that finds out says how far it had come; cursors up to there are worth nothing from then on.
 */
export const LOST_2 = `
ALTER TABLE sessions ADD COLUMN lost_to bigint NOT NULL DEFAULT 0;

-- Which of some sessions, of which somebody saw these last numbers, are no longer what they were. 'seen_position' is the
-- newest position that was seen, or NULL where those are as they were.
CREATE FUNCTION lost_v1(a_id text[], a_last bigint[], seen_position bigint)
RETURNS TABLE (id text) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
BEGIN
  FOR i IN 1 .. cardinality(a_id) LOOP
    UPDATE sessions s SET lost_to = a_last[i] WHERE s.id = a_id[i] AND s.lost_to < a_last[i]
      AND a_last[i] > (SELECT max(e.seq) FROM events e WHERE e.sid = s.sid);
  END LOOP;
  IF seen_position IS NOT NULL THEN
    INSERT INTO meta (name, value) VALUES ('lost_to', seen_position::text) ON CONFLICT (name)
      DO UPDATE SET value = greatest(meta.value::bigint, seen_position)::text;
  END IF;
  RETURN QUERY SELECT u.i FROM unnest(a_id, a_last) u(i, n)
    WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = u.i AND s.lost_to < u.n);
END $$;
`;
