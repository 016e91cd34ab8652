/**
 * When each session changed last, as a column that is made of its state, so that nodes of the version before keep it, too.
 * It has no index: a change of an indexed column would cost each update of a session's row a new entry in every index.
 */
export const RECENT_5 = `
CREATE FUNCTION updated_v5(state text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN COALESCE((plain_v2(state) ->> 'updated')::numeric::bigint, 0);
EXCEPTION WHEN data_exception OR statement_too_complex THEN
  -- An append is worth more than its place in a list.
  RETURN 0;
END $$;
ALTER TABLE sessions ADD COLUMN updated bigint GENERATED ALWAYS AS (updated_v5(state)) STORED;
`;
