/**
 * On a node of Citus, a table of a cell is an ordinary table with a number in its name, which is a shard. PostgreSQL
 * alone plans a statement that names shards. The functions in this file replace the names in the text of a statement or
 * a function.
 */
export type ShardNames = ReadonlyMap<string, string>;

const NAMED = /(\b(?:from|join|into|update|using)|,)(\s+(?:only\s+)?)(?:"?public"?\.)?("?)([a-z_]+)\3(?=[\s,;)]|$)/gi;
/** A CTE hides a table of the same name. */
const CTE = /(?:\bwith|,|\brecursive)\s+([a-z_]+)(?:\s*\([^()]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi;
/** Words that may follow the name of a table and are no alias. */
const NO_ALIAS = new Set(
  'as set where on join left right inner cross full natural lateral order group limit offset for using returning values select union except intersect having window default overriding with then loop do end tablesample'.split(
    ' ',
  ),
);

/** Returns `text` with shards in place of their tables. Each shard has the name of its table as its alias. */
export function withShards(text: string, shards: ShardNames): string {
  const hidden = new Set(text.matchAll(CTE).map(([, name]) => name!.toLowerCase()));
  return text.replaceAll(NAMED, (whole, word: string, space: string, _quote, name: string, at: number) => {
    const table = name.toLowerCase();
    const shard = shards.get(table);
    if (shard === undefined || hidden.has(table)) return whole;
    const rest = text.slice(at + whole.length);
    // A comma separates tables only in a list with aliases. In all other places, a comma separates columns.
    if (word === ',' && !/^\s+(?:as\s+)?[a-z]\w?\b/i.test(rest)) return whole;
    const next = /^\s+"?([a-z_]\w*)/i.exec(rest)?.[1]?.toLowerCase();
    const hasAlias = next !== undefined && (next === 'as' || !NO_ALIAS.has(next));
    return `${word}${space}${shard}${hasAlias ? '' : ` AS "${table}"`}`;
  });
}
