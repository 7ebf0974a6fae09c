/** The encodings of stored files, best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];

/** Returns the best encoding that the client accepts (RFC 9110, 12.5.3). Null: the file is sent as it is. */
export function contentEncoding(accepted: string | undefined): ContentEncoding | null {
  const named = new Set((accepted ?? '').split(',').filter(isAccepted).map(nameOf));
  return ENCODINGS.find((one) => named.has(one)) ?? null;
}

const nameOf = (element: string): string => element.split(';', 1)[0]!.trim().toLowerCase();
/** A weight of zero excludes the encoding. */
const isAccepted = (element: string): boolean => !/;\s*q\s*=\s*0(\.0*)?\s*$/i.test(element);
