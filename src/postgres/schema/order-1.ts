/**
 * The order over all sessions. A number that is taken before a commit makes readers skip what commits late. So an append
 * leaves a row in a queue, and whoever comes next gives positions to all rows there: the lock makes positions visible in
 * their order. A queue has no cursor, so nothing can be skipped.
 *
 * Rows that were taken leave dead versions, which a held snapshot keeps. \`floor\` spares the walk over them: the queue holds
 * nothing at or below it, and never will. The caller learns the newest id of the queue and the transactions that may still
 * be under way (\`newest\`, \`until\`), and later that all of these have ended (\`ended\` is at least \`until\`): from then on
 * \`newest\` is a floor.
 */
export const ORDER_1 = `
CREATE FUNCTION order_v1(floor bigint)
RETURNS TABLE (ordered bigint, "position" bigint, newest bigint, until bigint, ended bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  base bigint;
  done bigint;
  top bigint;
  high bigint;
  low_xid bigint;
  high_xid bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7420, 1);
  SELECT coalesce(max(c.position), 0) INTO base FROM commits c;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO high FROM unordered_id_seq;
  -- After the newest id and before the rows are taken.
  SELECT pg_snapshot_xmin(x)::text::bigint, pg_snapshot_xmax(x)::text::bigint INTO low_xid, high_xid FROM pg_current_snapshot() x;
  WITH taken AS (DELETE FROM unordered u WHERE u.id > floor RETURNING u.*),
    placed AS (SELECT base + sum(t.seq_to - t.seq_from + 1) OVER (ORDER BY t.id) AS p, t.* FROM taken t),
    put AS (INSERT INTO commits (position, sid, seq_from, seq_to, epoch)
      SELECT p.p, p.sid, p.seq_from, p.seq_to, p.epoch FROM placed p RETURNING commits.position)
  SELECT count(*), max(put.position) INTO done, top FROM put;
  RETURN QUERY SELECT done, coalesce(top, base), high, high_xid, low_xid;
END $$;
`;
