/**
 * References that the database checks for every accepted call and every turn. The database checks references once per
 * statement, instead of using foreign keys, which look up and lock the parent of every row (docs/adr/0004). The rules
 * are in migrations/0000_schema.sql.
 *
 * This query lists the references by reading the triggers that check them. The query works on a database of any
 * version.
 */
export const CHECKED_REFERENCES = `
  SELECT t.tgrelid AS child, to_regclass(quote_ident(args[i]))::oid AS parent,
    string_to_array(args[i + 1], ', ') AS child_columns, string_to_array(args[i + 2], ', ') AS parent_columns
  FROM pg_trigger t
  CROSS JOIN LATERAL (SELECT string_to_array(encode(t.tgargs, 'escape'), '\\000') AS args) a
  CROSS JOIN LATERAL generate_series(1, t.tgnargs, 3) AS i
  WHERE t.tgname LIKE '%\\_has\\_parents' AND t.tgenabled IN ('O', 'A') AND NOT t.tgisinternal`;
