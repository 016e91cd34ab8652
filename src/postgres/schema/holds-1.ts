/** Functions that take and give back the right to write to a session. */
export const HOLDS_1 = `
-- Takes a session for a node. The head must be read by a later statement: this one waits for an append that is under way,
-- and would still see what was stored before it.
CREATE FUNCTION take_v1(asked text, taker bigint)
RETURNS TABLE (outcome text, sid bigint, epoch bigint, node text, address text) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
DECLARE
  found_sid bigint;
  held owners%ROWTYPE;
  holder nodes%ROWTYPE;
BEGIN
  -- Whoever declares this node dead waits until the session is its, and finds it.
  PERFORM 1 FROM nodes n WHERE n.node = taker AND NOT n.dead FOR SHARE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'dead', NULL::bigint, NULL::bigint, NULL::text, NULL::text;
    RETURN;
  END IF;
  SELECT s.sid INTO found_sid FROM sessions s WHERE s.id = asked AND s.state IS NOT NULL;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'none', NULL::bigint, NULL::bigint, NULL::text, NULL::text;
    RETURN;
  END IF;
  SELECT o.* INTO held FROM owners o WHERE o.sid = found_sid FOR UPDATE;
  IF NOT held.released AND held.node <> taker THEN
    SELECT n.* INTO holder FROM nodes n WHERE n.node = held.node AND NOT n.dead;
    IF FOUND THEN
      RETURN QUERY SELECT 'held', found_sid, held.epoch, holder.name, holder.address;
      RETURN;
    END IF;
  END IF;
  UPDATE owners o SET node = taker, epoch = held.epoch + 1, released = false WHERE o.sid = found_sid;
  RETURN QUERY SELECT 'taken', found_sid, held.epoch + 1, NULL::text, NULL::text;
END $$;

CREATE FUNCTION release_v1(given bigint, at_epoch bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE owners SET released = true WHERE sid = given AND epoch = at_epoch AND NOT released
$$;
`;
