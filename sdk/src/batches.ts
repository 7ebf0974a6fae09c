/** Rows from anywhere, in bodies that the server takes: at most `count` rows and 256 KiB. One batch is in memory at a time. */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;
export type Batch<T> = { rows: T[]; from: number };

/** Room for what stands around the rows. */
const MAX_BYTES = 250_000;
const encoder = new TextEncoder();

export async function* batches<T>(rows: Rows<T>, count: number): AsyncGenerator<Batch<T>, void, void> {
  let batch: Batch<T> = { rows: [], from: 0 };
  let bytes = 0;
  for await (const row of rows) {
    const size = encoder.encode(JSON.stringify(row)).length + 1;
    if (batch.rows.length > 0 && (batch.rows.length >= count || bytes + size > MAX_BYTES)) {
      yield batch;
      batch = { rows: [], from: batch.from + batch.rows.length };
      bytes = 0;
    }
    batch.rows.push(row);
    bytes += size;
  }
  if (batch.rows.length > 0) yield batch;
}
