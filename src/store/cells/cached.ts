/** Far more than a program has. */
export const MOST_TEXTS = 5_000;

/**
 * Returns the function with a cache: it computes the result for a text once. A program has few different texts of
 * statements.
 */
export function cached<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= MOST_TEXTS) results.clear();
    const result = compute(text);
    results.set(text, result);
    return result;
  };
}
