import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../../contract/limits.ts';

/**
 * Parses strict JSON, so that two parsers of the same bytes must agree (RFC 7493): no duplicate keys, no lone
 * surrogates, no number that changes its value, limited depth and number of keys. The parser of V8 does the parsing.
 * Before the parser runs, one scan counts characters outside strings, so that too much depth is refused before any
 * object is built. After the parser has run, one walk checks the result. If the walk counts fewer keys than the scan, a
 * key was a duplicate.
 */
export type Parsed = { readonly value: unknown } | { readonly fault: string };

export function parseStrictJson(text: string, maxKeys: number, what: 'body' | 'line' = 'body'): Parsed {
  const parsed = parse(text, maxKeys);
  return 'fault' in parsed ? { fault: `The ${what} ${parsed.fault}` } : parsed;
}

function parse(text: string, maxKeys: number): Parsed {
  const shape = scan(text);
  if (shape.depth > MAX_JSON_DEPTH) return { fault: `is nested more than ${MAX_JSON_DEPTH} levels deep.` };
  if (shape.values > MAX_JSON_VALUES) return { fault: `has more than ${MAX_JSON_VALUES.toLocaleString('en')} values.` };
  if (shape.keys > maxKeys) return { fault: `has more than ${maxKeys.toLocaleString('en')} keys.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'is not JSON.' };
  }
  // NUL and surrogates can only come from escapes, because neither JSON nor UTF-8 allows them unescaped.
  const walk = { keys: 0, checkStrings: text.includes('\\u'), fault: null };
  inspect(value, walk);
  if (walk.fault !== null) return { fault: walk.fault };
  if (walk.keys !== shape.keys) return { fault: 'has the same key twice in one object.' };
  return { value };
}

const QUOTE = 34;
const COLON = 58;
const COMMA = 44;
const BACKSLASH = 92;

/** Counts depth, keys and values outside strings. The counts are valid only if the text is JSON. */
function scan(text: string): { depth: number; keys: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, i);
    } else if (code === COLON) keys++;
    else if (code === COMMA) values++;
    else if ((code | 0x20) === 0x7b) {
      // The characters '[' and '{' differ in one bit, and ']' and '}' differ in the same bit.
      if (++depth > deepest) deepest = depth;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return { depth: deepest, keys, values };
}

/** Returns the position of the closing quote, or the end of the text if the quote is missing. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

type Walk = { keys: number; readonly checkStrings: boolean; fault: string | null };

function inspect(value: unknown, walk: Walk): void {
  if (typeof value === 'string') {
    if (walk.checkStrings) inspectText(value, walk);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) walk.fault = 'contains a number that is too large.';
    else if (Number.isInteger(value) && !Number.isSafeInteger(value))
      walk.fault = 'contains a whole number beyond 2^53 - 1: send it as text.';
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, walk);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      walk.keys++;
      // If such a key is assigned to another object, the key replaces the prototype of the object.
      if (key === '__proto__') walk.fault = 'has a key named __proto__.';
      else if (walk.checkStrings) inspectText(key, walk);
      inspect((value as Record<string, unknown>)[key], walk);
    }
  }
}

function inspectText(text: string, walk: Walk): void {
  if (text.includes('\0')) walk.fault = 'contains a NUL character.';
  else if (!text.isWellFormed()) walk.fault = 'contains a lone surrogate.';
}
