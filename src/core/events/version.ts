/** Raised when a field changes its meaning; new fields and new types do not raise it. Apart from the schemas, so that naming it loads none. */
export const SCHEMA_VERSION = 1;
