/**
 * Joins one record by its key, as a look-up of its own. A plan that was made while the tables were empty would join by
 * the organization alone, and read all its records.
 */
export const byKey = (table: string, on: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${on} LIMIT 1) ${table.split(' ')[1]!}`;
