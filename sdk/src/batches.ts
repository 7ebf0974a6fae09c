import { isParleyError, type ParleyError } from './errors.ts';
import { checkIdempotencyKey, MAX_IDEMPOTENCY_KEY } from './options.ts';
import type { Fault } from './wire.ts';

/**
 * Splits the rows of any iterable into bodies that the server accepts: at most `size` rows and 256 KiB, with one batch
 * in memory at a time. A row that fits into no body gets its own fault, and the other rows are written.
 */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;
type Batch<T> = { rows: T[]; from: number };

type Upload<T, Result> = {
  rows: Rows<T>;
  /** The number of rows per call. */
  size: number;
  idempotencyKey: string | undefined;
  send: (rows: T[], idempotencyKey: string) => Promise<Result[]>;
  /** The result of a row that was not sent, or that the server cannot parse. */
  refused: (index: number, fault: Fault, row: T) => Result;
};

/**
 * The server accepts bodies of 262,144 bytes. The difference to the server's limit leaves room for the JSON around the
 * rows.
 */
const MAX_BYTES = 262_000;
const encoder = new TextEncoder();
const bytesOf = (row: unknown): number => encoder.encode(JSON.stringify(row)).length + 1;

/**
 * Yields each row with its result, in order. The server's `index` counts the rows of one call. The yielded `index`
 * counts all rows.
 */
export async function* upload<T, Result extends { index: number }>(
  it: Upload<T, Result>,
): AsyncGenerator<[result: Result, row: T], void, void> {
  const key = await baseKey(it.idempotencyKey);
  for await (const batch of batches(it.rows, it.size)) {
    const results = await sendBatch(batch, key, it);
    for (const [n, result] of results.entries()) yield [{ ...result, index: batch.from + n }, batch.rows[n]!];
  }
}

async function sendBatch<T, Result>({ rows, from }: Batch<T>, key: string, it: Upload<T, Result>): Promise<Result[]> {
  const [first] = rows;
  if (rows.length === 1 && bytesOf(first) > MAX_BYTES) return [it.refused(from, TOO_LARGE, first!)];
  try {
    return await it.send(rows, `${key}-${from}-${rows.length}`);
  } catch (error) {
    // The server parsed no row of this body, for example because one row contains half of an emoji.
    if (!isParleyError(error, 'body_invalid', 'payload_too_large')) throw error;
    if (rows.length === 1) return [it.refused(from, faultOf(error), first!)];
    const half = Math.ceil(rows.length / 2);
    const before = await sendBatch({ rows: rows.slice(0, half), from }, key, it);
    return [...before, ...(await sendBatch({ rows: rows.slice(half), from: from + half }, key, it))];
  }
}

const TOO_LARGE: Fault = { pointer: '', code: 'too_long', detail: 'The row does not fit into a request of 256 KiB.' };
const faultOf = ({ code, problem }: ParleyError): Fault => ({ pointer: '', code, detail: problem?.detail ?? code });

async function* batches<T>(rows: Rows<T>, size: number): AsyncGenerator<Batch<T>, void, void> {
  let batch: Batch<T> = { rows: [], from: 0 };
  let bytes = 0;
  for await (const row of rows) {
    const more = bytesOf(row);
    if (batch.rows.length > 0 && (batch.rows.length >= size || bytes + more > MAX_BYTES)) {
      yield batch;
      batch = { rows: [], from: batch.from + batch.rows.length };
      bytes = 0;
    }
    batch.rows.push(row);
    bytes += more;
  }
  if (batch.rows.length > 0) yield batch;
}

/** The longest key after which the suffix `-FROM-COUNT` of a batch has space. */
const MAX_BASE_KEY = MAX_IDEMPOTENCY_KEY - 32;

/** A key without enough room for the batch numbers is replaced by its SHA-256. */
async function baseKey(given: string | undefined): Promise<string> {
  const key = checkIdempotencyKey(given ?? crypto.randomUUID());
  if (key.length <= MAX_BASE_KEY) return key;
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
