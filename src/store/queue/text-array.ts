/**
 * A PostgreSQL array as text, for the columns of a batch (`$1::text[]`, `$2::timestamptz[]`, …). The driver's own
 * encoding escapes every element with two regular expressions, which take longer than planning an accepted call. A
 * column without any value is an empty array, because `unnest` fills shorter arrays with NULL.
 */
export function textArray(values: readonly (string | null)[]): string {
  let array = '';
  let hasValue = false;
  for (const value of values) {
    if (value !== null) hasValue = true;
    array += `${array === '' ? '' : ','}${value === null ? 'NULL' : element(value)}`;
  }
  return hasValue ? `{${array}}` : '{}';
}

/** Texts that need no quotes, such as IDs, times and numbers. The minimum length excludes the text NULL. */
const PLAIN = /^[\w:.+-]{5,}$/;
const ESCAPED = /["\\]/;

const element = (value: string): string => {
  if (PLAIN.test(value)) return value;
  return `"${ESCAPED.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`;
};
