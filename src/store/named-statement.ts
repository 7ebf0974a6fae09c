import { sql, type SQL } from 'drizzle-orm';

/**
 * Statements whose parameters have names. `:name` in the text becomes `$n::type` once, when the module is loaded. The
 * module fails to load if a name is unknown or unused. A call passes an object with exactly the named parameters, so a
 * missing or misspelled name is a type error.
 */
type Types = Readonly<Record<string, string>>;
export type Values<Name extends string> = Readonly<Record<Name, unknown>>;

/** The form of a query that the driver expects. Each connection prepares the statement once, by its name. */
type Query = { name: string; text: string; values: unknown[] };
export type Named<Name extends string> = ((values: Values<Name>) => Query) & { readonly text: string };

/** Matches a name after a single colon, but not the `::` of a cast. */
const PARAMETER = /(?<!:):([a-z]\w*)/g;

export function named<const T extends Types>(name: string, types: T, template: string): Named<keyof T & string> {
  const names: (keyof T & string)[] = Object.keys(types);
  const used = new Set<string>();
  const text = template.replaceAll(PARAMETER, (_, parameter: string) => {
    const index = names.indexOf(parameter);
    if (index === -1) throw new Error(`The statement "${name}" has no parameter "${parameter}".`);
    used.add(parameter);
    return `$${index + 1}::${types[parameter]}`;
  });
  const idle = names.filter((parameter) => !used.has(parameter));
  if (idle.length > 0) throw new Error(`The statement "${name}" does not use: ${idle.join(', ')}.`);
  const query = (values: Values<keyof T & string>): Query => ({
    name,
    text,
    values: names.map((parameter) => values[parameter]),
  });
  return Object.assign(query, { text });
}

/** The statement for a transaction of Drizzle, which prepares no statement. */
export const asSql = ({ text, values }: Query): SQL =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`)),
  );

/** The parameters that pass rows as one array per column, and the FROM item that converts the arrays to rows. */
export function rowsOf<const T extends Types, const Prefix extends string = ''>(
  alias: string,
  columns: T,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the default of the type parameter
  prefix: Prefix = '' as Prefix,
) {
  const names = Object.keys(columns);
  const types = Object.fromEntries(names.map((name) => [prefix + name, `${columns[name]}[]`])) as {
    readonly [Name in keyof T & string as `${Prefix}${Name}`]: string;
  };
  const from = `unnest(${names.map((name) => `:${prefix}${name}`).join(', ')})
    AS ${alias}(${names.join(', ')})`;
  return { types, from };
}
