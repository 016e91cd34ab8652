/**
 * The spending of turns that ended, kept when turns and sessions are forgotten. A trigger writes it in the transaction of
 * the append, so that nodes of the version before write it, too, and no way to append can leave it out. It says the same
 * as `spentOf` in core/spending; the log's contract holds both to that.
 */
export const SPENT_3 = `
CREATE TABLE spent (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text NOT NULL COLLATE "C",
  seq bigint NOT NULL,
  root text NOT NULL COLLATE "C",
  time bigint NOT NULL,
  agent text NOT NULL,
  directory text NOT NULL,
  model text,
  usage text NOT NULL,
  UNIQUE (session, seq)
);

-- A document without the characters that no text of PostgreSQL can hold: none of them is in a number or in its name.
CREATE FUNCTION plain_v2(document text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(document, '(\\\\[^u])|\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\1', 'g')::json
$$;

CREATE FUNCTION spend_v2(at_sid bigint, at_seq bigint, document text) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  event json := plain_v2(document);
  data json := event -> 'data';
  usage json := data -> 'usage';
  is_told boolean := COALESCE(usage ->> 'tokens', usage ->> 'cost') IS NOT NULL;
  is_new boolean := data ->> 'steps' IS NOT NULL;
  ended bigint := (event ->> 'time')::numeric::bigint;
  facts json;
  above json;
  begun json;
  of_session text;
  of_parent text;
  of_root text;
  used text;
BEGIN
  IF data ->> 'elsewhere' = 'true' OR (NOT is_told AND COALESCE((data ->> 'steps')::numeric, 0) = 0) THEN RETURN; END IF;
  SELECT s.id, s.parent, s.root, plain_v2(s.state) INTO of_session, of_parent, of_root, facts
    FROM sessions s WHERE s.sid = at_sid AND s.state IS NOT NULL;
  IF NOT FOUND OR (NOT is_told AND of_parent IS NOT NULL) THEN RETURN; END IF;
  IF NOT is_new THEN
    SELECT plain_v2(e.json) -> 'data' INTO begun FROM events e
      WHERE e.sid = at_sid AND e.type = 'turn.started' AND e.seq < at_seq ORDER BY e.seq DESC LIMIT 1;
    SELECT plain_v2(s.state) INTO above FROM sessions s WHERE s.id = of_root AND s.state IS NOT NULL;
    IF begun ->> 'replayed' = 'true' OR ended < (facts ->> 'created')::numeric
      OR ended <= (facts #>> '{meta,imported,time}')::numeric OR ended <= (above #>> '{meta,imported,time}')::numeric
    THEN RETURN; END IF;
  END IF;
  SELECT json_object_agg(u.key, u.value)::text INTO used FROM json_each(usage) u WHERE u.key IN ('tokens', 'cost', 'models');
  INSERT INTO spent (session, seq, root, time, agent, directory, model, usage)
    VALUES (of_session, at_seq, COALESCE(of_root, of_session), ended, COALESCE(facts ->> 'rootAgent', facts ->> 'agent'), facts ->> 'directory',
      COALESCE(data ->> 'model', CASE WHEN NOT is_new THEN COALESCE(begun ->> 'model', facts ->> 'model') END),
      COALESCE(used, '{}'))
    ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION spend_turn_v2() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM spend_v2(NEW.sid, NEW.seq, NEW.json);
  RETURN NULL;
EXCEPTION WHEN data_exception OR statement_too_complex THEN
  -- A turn's end is worth more than its numbers: it is stored in any case.
  RAISE WARNING 'the spending of event % of session % cannot be read: %', NEW.seq, NEW.sid, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER spend AFTER INSERT ON events FOR EACH ROW WHEN (NEW.type = 'turn.ended') EXECUTE FUNCTION spend_turn_v2();

-- Sessions up to this one have turns from before the table.
INSERT INTO meta (name, value) SELECT 'uncounted', COALESCE(max(sid), 0)::text FROM sessions;

-- Counts the turns of some sessions for about a second, the newest first. How many are left, at the most.
CREATE FUNCTION count_older_v2() RETURNS bigint LANGUAGE plpgsql SET jit = off SET enable_seqscan = off SET lock_timeout = '4s' AS $$
#variable_conflict use_column
DECLARE
  upto bigint;
  at_sid bigint;
  one record;
  began timestamptz := clock_timestamp();
BEGIN
  SELECT m.value::bigint INTO upto FROM meta m WHERE m.name = 'uncounted' FOR UPDATE;
  IF upto IS NULL OR upto = 0 THEN RETURN 0; END IF;
  FOR at_sid IN SELECT s.sid FROM sessions s WHERE s.sid <= upto ORDER BY s.sid DESC LOOP
    EXIT WHEN clock_timestamp() > began + interval '1 second';
    FOR one IN SELECT e.seq, e.json FROM events e WHERE e.sid = at_sid AND e.type = 'turn.ended' LOOP
      BEGIN
        PERFORM spend_v2(at_sid, one.seq, one.json);
      EXCEPTION WHEN data_exception OR statement_too_complex THEN
        CONTINUE;
      END;
    END LOOP;
    upto := at_sid - 1;
  END LOOP;
  SELECT COALESCE(max(s.sid), 0) INTO upto FROM sessions s WHERE s.sid <= upto;
  UPDATE meta m SET value = upto::text WHERE m.name = 'uncounted';
  RETURN upto;
END $$;
`;
