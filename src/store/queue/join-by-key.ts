/**
 * Joins one record by its key, as a separate look-up. A plan from the time when the tables were empty would join by the
 * organization alone and read all its records.
 */
export const byKey = (table: string, on: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${on} LIMIT 1) ${table.split(' ')[1]!}`;

/**
 * A column for a condition that is only checked, so that no index is used for it. A condition for the organization, in
 * addition to a more selective ID. Otherwise the planner may choose an index that begins with the organization and read
 * all its rows.
 */
export const checkedOnly = (column: string): string => `coalesce(${column}, '')`;
