/** A program has far fewer different statements than this. */
export const MOST_TEXTS = 5_000;

/** Returns a function that caches its result for each text. A program has few different texts of statements. */
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
