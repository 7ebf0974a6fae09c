import { DocumentFault } from './document-fault.ts';

/** Finds the encoding that a file declares, as `charset=…` in a header or near the beginning of HTML and XML. */
const NAMED = /(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const HEAD_BYTES = 1_024;

/**
 * Decodes the bytes by their byte order mark, or as UTF-8 if they are valid UTF-8, or else by the declared encoding of
 * the file or its header. NUL characters cannot be stored, and show that the file is not text.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const text = decoded(bytes, contentType);
  if (text === null || text.includes('\0'))
    throw new DocumentFault('encoding', 'The file is not text in UTF-8. Save it as UTF-8 and add it again.');
  return text;
}

function decoded(bytes: Uint8Array, contentType: string): string | null {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return decode(bytes, 'utf-16le');
  if (a === 0xfe && b === 0xff) return decode(bytes, 'utf-16be');
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const named = NAMED.exec(contentType)?.[1] ?? (head.includes('<') ? NAMED.exec(head)?.[1] : undefined);
  return decode(bytes, 'utf-8') ?? (named === undefined ? null : decode(bytes, named));
}

function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
