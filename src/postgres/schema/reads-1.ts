/**
 * Reads that walk along an index and stop at their limit. The planner knows how long sessions are on average, not how long
 * one is, and would rather collect and sort all of a long one; here it may not.
 */
const WALK =
  "SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off";
const ROW = "seq bigint, folded integer, type text, json text, native bytea";
const COLUMNS = "e.seq, e.folded, e.type, e.json, CASE WHEN with_native THEN e.native END";
// Rows below 'first' are forgotten, though they may wait for the next sweep.
const BOUNDS = "SELECT s.sid, s.first INTO at_sid, kept FROM sessions s WHERE s.id = asked";
const PLACED = `c.position - (c.seq_to - e.seq), s.id, ${COLUMNS}
    FROM commits c JOIN events e ON e.sid = c.sid AND e.seq BETWEEN c.seq_from AND c.seq_to
    JOIN sessions s ON s.sid = c.sid AND e.seq >= s.first`;

export const READS_1 = `
CREATE FUNCTION read_v1(asked text, after bigint, count bigint, with_native boolean)
RETURNS TABLE (${ROW}) LANGUAGE plpgsql STABLE ${WALK} AS $$
#variable_conflict use_column
DECLARE
  at_sid bigint;
  kept bigint;
BEGIN
  ${BOUNDS};
  RETURN QUERY SELECT ${COLUMNS} FROM events e WHERE e.sid = at_sid AND e.seq > greatest(after, kept - 1)
    ORDER BY e.seq LIMIT count;
END $$;

CREATE FUNCTION read_back_v1(asked text, before bigint, count bigint, with_native boolean)
RETURNS TABLE (${ROW}) LANGUAGE plpgsql STABLE ${WALK} AS $$
#variable_conflict use_column
DECLARE
  at_sid bigint;
  kept bigint;
BEGIN
  ${BOUNDS};
  RETURN QUERY SELECT ${COLUMNS} FROM events e WHERE e.sid = at_sid AND e.seq < before AND e.seq >= kept
    ORDER BY e.seq DESC LIMIT count;
END $$;

CREATE FUNCTION read_all_v1(after bigint, count bigint, with_native boolean)
RETURNS TABLE ("position" bigint, session text, ${ROW}) LANGUAGE plpgsql STABLE ${WALK} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT ${PLACED}
    WHERE c.position > after AND c.position - (c.seq_to - e.seq) > after ORDER BY c.position, e.seq LIMIT count;
END $$;

CREATE FUNCTION read_all_back_v1(before bigint, count bigint, with_native boolean)
RETURNS TABLE ("position" bigint, session text, ${ROW}) LANGUAGE plpgsql STABLE ${WALK} AS $$
#variable_conflict use_column
DECLARE
  upto bigint;
BEGIN
  -- The append in whose middle the asked position may lie is the first that ends there or later.
  SELECT coalesce(min(c.position), before) INTO upto FROM commits c WHERE c.position >= before;
  RETURN QUERY SELECT ${PLACED}
    WHERE c.position <= upto AND c.position - (c.seq_to - e.seq) < before ORDER BY c.position DESC, e.seq DESC LIMIT count;
END $$;
`;
