/** Raised when a field changes its meaning; new fields and new types do not raise it. In a file of its own, so that importing it loads no schema. */
export const SCHEMA_VERSION = 1;
