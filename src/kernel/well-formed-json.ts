/**
 * Replaces each half of a surrogate pair in a JSON text that JSON.stringify wrote. A text that is cut after a number of
 * characters may end in such a half, and many servers refuse the whole request because of it. JSON.stringify writes only
 * halves as escapes. The expression matches each escape as a whole, so that an escaped backslash before `ud83d` stays.
 */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud')
    ? json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => (escape.length > 2 ? '\\ufffd' : escape))
    : json;
