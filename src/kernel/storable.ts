/**
 * Converts a value to JSON that the database accepts: without NUL and without half of a surrogate pair. A model, a tool
 * or a provider may return such characters, and a text that is cut after a number of characters may end in half of a
 * pair. In a statement for many rows, one such row would fail all rows.
 */
export const storable = (value: unknown): string => replaced(JSON.stringify(value), NUL_OR_HALF);

/** Returns a text that the database accepts in a column of type text. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/**
 * Replaces each half of a surrogate pair in a JSON text that JSON.stringify wrote. Many servers refuse a whole request
 * because of such a half. JSON.stringify writes only halves as escapes.
 */
export const wellFormedJson = (json: string): string => (json.includes('\\ud') ? replaced(json, HALF) : json);

/** The expressions match each escape as a whole, so that an escaped backslash before `u0000` or `ud83d` stays. */
const NUL_OR_HALF = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g;
const HALF = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g;

const replaced = (json: string, escapes: RegExp): string =>
  json.replace(escapes, (escape) => (escape.length > 2 ? '\\ufffd' : escape));
