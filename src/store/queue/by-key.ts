/**
 * Joins one record by its key, as a look-up of its own. A plan that was made while the tables were empty would join by
 * the organization alone, and read all its records.
 */
export const byKey = (table: string, on: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${on} LIMIT 1) ${table.split(' ')[1]!}`;

/**
 * A column whose condition is only checked: no index can be read by it. For the organization beside a narrower id: the
 * planner may choose an index that begins with the organization, and would read all its rows.
 */
export const checkedOnly = (column: string): string => `coalesce(${column}, '')`;
