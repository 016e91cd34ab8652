/**
 * The index for searches. Nodes fill it after the commit, so that an append has nothing to do with it. An entry goes with
 * its event: folds drop only deltas, which have none.
 */
export const SEARCH_1 = `
CREATE TABLE search_entries (
  sid bigint NOT NULL,
  seq bigint NOT NULL,
  position bigint NOT NULL UNIQUE,
  terms tsvector NOT NULL,
  PRIMARY KEY (sid, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX search_terms ON search_entries USING gin (terms);

-- All events up to this position have their entries.
CREATE TABLE search_progress (one boolean PRIMARY KEY DEFAULT true CHECK (one), position bigint NOT NULL) WITH (fillfactor = 50);
INSERT INTO search_progress (position) VALUES (0);

-- The events after a position, with the texts of those in which something can be found; 'line' are the sessions above.
CREATE FUNCTION read_findable_v1(after bigint, count bigint, types text[])
RETURNS TABLE ("position" bigint, sid bigint, seq bigint, json text, line text[], directory text, state text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT p.at, p.sid, p.seq,
      CASE WHEN p.type = ANY (types) AND p.seq >= s.first AND s.state IS NOT NULL THEN p.json END,
      CASE WHEN p.type = ANY (types) THEN (
        WITH RECURSIVE up(id, parent, depth) AS (
          SELECT s.id, s.parent, 1
          UNION ALL SELECT n.id, n.parent, u.depth + 1 FROM up u JOIN sessions n ON n.id = u.parent WHERE u.depth < 64)
        SELECT array_agg(DISTINCT l.id) FROM (SELECT u.id FROM up u UNION SELECT s.root WHERE s.root IS NOT NULL) l(id)) END,
      s.directory,
      CASE WHEN p.type = ANY (types) THEN s.state END
    FROM (SELECT c.position - (c.seq_to - e.seq) AS at, e.sid, e.seq, e.type, e.json
      FROM commits c JOIN events e ON e.sid = c.sid AND e.seq BETWEEN c.seq_from AND c.seq_to
      WHERE c.position > after AND c.position - (c.seq_to - e.seq) > after ORDER BY c.position, e.seq LIMIT count) p
    JOIN sessions s ON s.sid = p.sid ORDER BY p.at;
END $$;

-- Adds the entries between two positions. False where another node has done so meanwhile.
CREATE FUNCTION index_v1(after bigint, upto bigint, e_sid bigint[], e_seq bigint[], e_position bigint[], e_terms text[])
RETURNS boolean LANGUAGE plpgsql SET jit = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
BEGIN
  UPDATE search_progress p SET position = upto WHERE p.position = after;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO search_entries (sid, seq, position, terms)
    SELECT u.s, u.q, u.p, u.t::tsvector FROM unnest(e_sid, e_seq, e_position, e_terms) u(s, q, p, t)
    ON CONFLICT DO NOTHING;
  RETURN true;
END $$;

-- The newest entries before a position that have the terms. By the terms' own index: a walk along the positions would read
-- the whole table for a word that is rare.
CREATE FUNCTION find_v1(sought tsquery, before bigint, count bigint)
RETURNS TABLE ("position" bigint, sid bigint, seq bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT n.position, n.sid, n.seq FROM search_entries n WHERE n.terms @@ sought AND n.position < before
    ORDER BY n.position DESC LIMIT count;
END $$;

CREATE FUNCTION forget_entry_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_entries n WHERE n.sid = OLD.sid AND n.seq = OLD.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER events_forget_entry AFTER DELETE ON events FOR EACH ROW WHEN (OLD.type <> 'item.delta')
  EXECUTE FUNCTION forget_entry_v1();
`;
