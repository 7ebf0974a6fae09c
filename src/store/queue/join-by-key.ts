/**
 * Joins one record by its key, as a separate look-up. A plan that was made for empty tables would join by the
 * organization alone and read all its records.
 */
export const byKey = (table: string, on: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${on} LIMIT 1) ${table.split(' ')[1]!}`;

/**
 * Returns the column of the organization in a form that uses no index. The condition on the ID selects the rows, and
 * PostgreSQL then checks the organization. Without this function, the planner may choose an index that begins with the
 * organization and read all its rows.
 */
export const checkedOnly = (column: string): string => `coalesce(${column}, '')`;
