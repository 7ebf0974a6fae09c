/** The functions of this file help to parse a page's search parameters. Unknown parameters are dropped. */
export type RawSearch = Record<string, unknown>;

const MAX_CHARACTERS = 1024;

export const textIn = (raw: RawSearch, name: string): string | undefined => {
  const value = raw[name];
  // The router parses `?text=42` as a number.
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, MAX_CHARACTERS) : undefined;
};

/** Reads a time in the form of the API. */
export function momentIn(raw: RawSearch, name: string): string | undefined {
  const at = Date.parse(textIn(raw, name) ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

export const oneOfIn = <T extends string>(raw: RawSearch, name: string, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === raw[name]);

export const numberIn = (raw: RawSearch, name: string): number | undefined => {
  const value = raw[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
};

/** Reads a day in the form of the API. */
export const dayIn = (raw: RawSearch, name: string): string | undefined => {
  const text = textIn(raw, name);
  return text !== undefined && /^2\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
};
