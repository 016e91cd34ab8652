/**
 * The order over all sessions. A number that is taken before a commit makes readers skip what commits late. So an append
 * leaves a row in a queue, and whoever comes next gives positions to all rows there: the lock makes positions visible in
 * their order. A queue has no cursor, so nothing can be skipped.
 *
 * Rows that were taken leave dead versions, which a held snapshot keeps. `floor` spares the walk over them: the queue holds
 * nothing at or below it, and never will. A call that took rows tells the newest id of the queue, and a transaction that
 * began after all those that may have taken ids up to it (`newest`, `until`). Each call tells that the transactions before
 * `ended` have ended. Once that is at least `until`, `newest` is a floor.
 */
export const ORDER_1 = `
CREATE FUNCTION order_v1(floor bigint)
RETURNS TABLE (ordered bigint, "position" bigint, newest bigint, until bigint, ended bigint) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
DECLARE
  base bigint;
  done bigint;
  top bigint;
  high bigint;
  low_xid bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7420, 1);
  SELECT coalesce(max(c.position), 0) INTO base FROM commits c;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO high FROM unordered_id_seq;
  -- Before the rows are taken: what has ended by now is seen by the statement that takes them.
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint INTO low_xid;
  WITH taken AS (DELETE FROM unordered u WHERE u.id > floor RETURNING u.*),
    placed AS (SELECT base + sum(t.seq_to - t.seq_from + 1) OVER (ORDER BY t.id) AS p, t.* FROM taken t),
    put AS (INSERT INTO commits (position, sid, seq_from, seq_to, epoch)
      SELECT p.p, p.sid, p.seq_from, p.seq_to, p.epoch FROM placed p RETURNING commits.position)
  SELECT count(*), max(put.position) INTO done, top FROM put;
  -- This transaction has its number since it took rows, which is after the newest id was read. Without rows it has none.
  RETURN QUERY SELECT done, coalesce(top, base), high,
    CASE WHEN done > 0 THEN pg_current_xact_id()::text::bigint END, low_xid;
END $$;
`;
