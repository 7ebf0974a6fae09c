/**
 * One attribute with content has at most this length. The attribute is JSON, so only the texts inside are cut, and the
 * JSON stays valid.
 */
const MAX_CHARACTERS = 8_000;
const MAX_TEXTS = [6_000, 2_000, 500, 100];

/** JSON for an attribute of a span, with long texts cut until it fits. */
export function contentJson(value: unknown): string {
  for (const most of MAX_TEXTS) {
    const json = JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'string' ? part.slice(0, most).toWellFormed() : part,
    );
    if ((json ?? '').length <= MAX_CHARACTERS) return json ?? 'null';
  }
  return JSON.stringify({ omitted: 'too_large' });
}
