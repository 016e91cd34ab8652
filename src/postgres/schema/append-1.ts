/**
 * The append. One call, one statement, one transaction: a client that stops in the middle holds nothing. Texts come as one
 * array of bytes with places and lengths, because an array of texts would have to be escaped on one side and read on the
 * other.
 *
 * Plans are kept by each connection, and may be older than the tables are large: no function walks over a whole table, nor
 * is one compiled for a cost that only says so. A lock that does not come is an answer, too: it says that nothing was
 * stored, before the caller gives up without knowing.
 *
 * An append is stored only where the last number is the one before its first. After a lost answer the same numbers come
 * again: the last number is then its own, or a later one, and nothing is written, however late the first try is done.
 */
export const APPEND_1 = `
CREATE FUNCTION append_v1(
  me bigint, home text,
  a_id text[], a_sid bigint[], a_epoch bigint[], a_from bigint[], a_to bigint[],
  a_parent text[], a_root text[], a_directory text[], a_unsettled boolean[], a_state_at integer[], a_state_size integer[],
  e_of integer[], e_seq bigint[], e_type text[], e_item text[], e_at integer[], e_size integer[], e_native integer[],
  n_of integer[], n_name text[], n_seq bigint[],
  data bytea)
RETURNS TABLE (outcome text, sid bigint) LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
DECLARE
  outcomes text[] := array_fill('fenced'::text, ARRAY[cardinality(a_id)]);
  sids bigint[] := a_sid;
  fresh integer[] := '{}';
  i integer;
  at_sid bigint;
  last bigint;
BEGIN
  -- In the order of their numbers, so that two groups never wait for each other.
  FOR i IN SELECT u.i FROM unnest(a_sid) WITH ORDINALITY u(s, i) ORDER BY u.s NULLS LAST, u.i LOOP
    at_sid := a_sid[i];
    IF at_sid IS NULL THEN
      PERFORM 1 FROM nodes n WHERE n.node = me AND NOT n.dead FOR SHARE;
      CONTINUE WHEN NOT FOUND;
      INSERT INTO sessions (id, parent, root, directory, place, unsettled, state)
        VALUES (a_id[i], a_parent[i], a_root[i], a_directory[i], home, a_unsettled[i],
          convert_from(substring(data FROM a_state_at[i] FOR a_state_size[i]), 'UTF8'))
        ON CONFLICT (id) DO NOTHING RETURNING sessions.sid INTO at_sid;
      IF FOUND THEN
        INSERT INTO owners (sid, node, epoch) VALUES (at_sid, me, a_epoch[i]);
        sids[i] := at_sid;
        outcomes[i] := 'stored';
        fresh := fresh || i;
        CONTINUE;
      END IF;
      -- Created before: by this very append, whose answer was lost, or by somebody else.
      SELECT s.sid INTO at_sid FROM sessions s WHERE s.id = a_id[i];
      sids[i] := at_sid;
    END IF;
    -- Waits for a takeover that is under way and then sees its epoch; a takeover waits for this. The node counts, too: a
    -- database that failed over to a replica may give an epoch out twice.
    -- So may the number of a session that was lost be that of another one now.
    PERFORM 1 FROM owners o JOIN sessions s ON s.sid = o.sid AND s.id = a_id[i]
      WHERE o.sid = at_sid AND o.node = me AND o.epoch = a_epoch[i] AND NOT o.released FOR SHARE OF o;
    CONTINUE WHEN NOT FOUND;
    SELECT max(e.seq) INTO last FROM events e WHERE e.sid = at_sid;
    IF last = a_from[i] - 1 THEN
      outcomes[i] := 'stored';
      fresh := fresh || i;
      IF a_state_size[i] IS NOT NULL THEN
        UPDATE sessions s SET directory = a_directory[i], unsettled = a_unsettled[i],
          state = convert_from(substring(data FROM a_state_at[i] FOR a_state_size[i]), 'UTF8') WHERE s.sid = at_sid;
      END IF;
    ELSIF last >= a_to[i] THEN
      outcomes[i] := 'repeated';
    ELSE
      outcomes[i] := 'lost';
    END IF;
  END LOOP;
  -- The primary key refuses a number that is taken: then the whole call fails, and is made again.
  INSERT INTO events (sid, seq, type, item, json, native)
    SELECT sids[u.o], u.q, u.t, u.m, convert_from(substring(data FROM u.a FOR u.z), 'UTF8'),
      CASE WHEN u.n IS NOT NULL THEN substring(data FROM u.a + u.z FOR u.n) END
    FROM unnest(e_of, e_seq, e_type, e_item, e_at, e_size, e_native) u(o, q, t, m, a, z, n)
    WHERE u.o = ANY (fresh);
  IF cardinality(n_of) > 0 THEN
    INSERT INTO names (sid, name, seq)
      SELECT sids[u.o], u.n, u.q FROM unnest(n_of, n_name, n_seq) u(o, n, q) WHERE u.o = ANY (fresh)
      ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO unordered (sid, seq_from, seq_to, epoch)
    SELECT sids[u.i], u.f, u.t, u.e FROM unnest(a_from, a_to, a_epoch) WITH ORDINALITY u(f, t, e, i)
    WHERE u.i = ANY (fresh) ORDER BY u.i;
  RETURN QUERY SELECT u.o, u.s FROM unnest(outcomes, sids) u(o, s);
END $$;
`;
