/**
 * Converts a value to JSON that the database accepts: without NUL and without half of a surrogate pair. A model, a tool
 * or a provider may return such characters, and a text that is cut after a number of characters may end in half of a
 * pair. In a statement for many rows, one such row would fail all rows. The expression matches each escape as a whole,
 * so that an escaped backslash before `u0000` stays.
 */
export const storable = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) =>
    escape.length > 2 ? '\\ufffd' : escape,
  );

/** Returns a text that the database accepts in a column of type text. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();
