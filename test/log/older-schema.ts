/** Takes a database back to the schema before sessions were kept in the order of their last change. */
export const WITHOUT_RECENT =
  "DROP TABLE recent; DROP TABLE told; DELETE FROM meta WHERE name IN ('untold', 'unlisted'); PRAGMA user_version = 3";
