import { createHash } from 'node:crypto';
import { createEgress, type EgressResponse } from './egress.ts';

/** The address of the store, and the key for it. */
export type BlobSettings = {
  /** The URL includes the bucket and the prefix for the names of objects, as `https://HOST/BUCKET/PREFIX`. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/**
 * Stores objects in a store with the protocol of Amazon S3 (path-style addresses, Signature Version 4). Errors are
 * sentences without secrets, and never repeat the text of the store.
 */
export type BlobStore = {
  /**
   * Stores the bytes under this name, and replaces an existing object. `hash`: the SHA-256 of the bytes, which the
   * store checks.
   */
  put(name: string, bytes: Buffer, hash: string): Promise<void>;
  /**
   * Reads a range of bytes of an object, including the last byte of the range. The promise rejects if the object does
   * not exist.
   */
  read(name: string, part: { first: number; last: number }): Promise<Buffer>;
  /** Deletes an object, and succeeds even if the object does not exist. */
  delete(name: string): Promise<void>;
  close(): Promise<void>;
};

export class BlobError extends Error {}

/** The time is shorter than the time that a node has for stopping. */
const TIMEOUT_MS = 20_000;
const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** At most this much of an error body is read. */
const MAX_ERROR_BYTES = 64 * 1_024;

type CallOptions = { body?: Buffer; hash?: string; range?: string; maxBytes?: number };

/** The operator sets `url`, so its host may be private. The client does not follow redirects. */
export function createBlobStore({ url, region, accessKeyId, secretAccessKey }: BlobSettings): BlobStore {
  const { host, port, protocol } = new URL(url);
  const allowed = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  const egress = createEgress({ allow: [allowed] });

  async function call(
    method: 'GET' | 'PUT' | 'DELETE',
    name: string,
    { body, hash = EMPTY_HASH, range, maxBytes = MAX_ERROR_BYTES }: CallOptions = {},
  ): Promise<EgressResponse> {
    const { AwsV4Signer } = await import('aws4fetch');
    const headers = { 'x-amz-content-sha256': hash, ...(range !== undefined && { range }) };
    const signer = new AwsV4Signer({
      method,
      url: `${url}/${name}`,
      headers,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
    });
    const signed = await signer.sign();
    const sent = Object.fromEntries(signed.headers);
    delete sent['host'];
    return egress
      .request({
        url: String(signed.url),
        method,
        headers: sent,
        ...(body && { body }),
        timeoutMs: TIMEOUT_MS,
        maxBytes,
      })
      .catch((cause: unknown) => {
        throw new BlobError(`The store at ${host} does not respond.`, { cause });
      });
  }

  const refused = (status: number): BlobError =>
    new BlobError(
      status === 401 || status === 403
        ? `The store at ${host} rejects the key, or the key does not have the permission.`
        : `The store at ${host} returned ${status}.`,
    );

  return {
    put: async (name, body, hash) => {
      const { status } = await call('PUT', name, { body, hash });
      if (status !== 200) throw refused(status);
    },
    read: async (name, { first, last }) => {
      const { status, body } = await call('GET', name, {
        range: `bytes=${first}-${last}`,
        maxBytes: Math.max(MAX_ERROR_BYTES, last - first + 1),
      });
      if (status !== 206) throw refused(status);
      if (body.length !== last - first + 1)
        throw new BlobError(`The store at ${host} returned another part than requested.`);
      return body;
    },
    delete: async (name) => {
      const { status } = await call('DELETE', name);
      if (status !== 204 && status !== 200 && status !== 404) throw refused(status);
    },
    close: () => egress.close(),
  };
}

/**
 * Puts a small object into the store, reads it and deletes it. Returns null if all three steps work, otherwise a
 * sentence about the failure.
 */
export async function tryBlobStore(settings: BlobSettings, probe: string): Promise<string | null> {
  const store = createBlobStore(settings);
  const bytes = Buffer.from('parley');
  try {
    await store.put(probe, bytes, createHash('sha256').update(bytes).digest('hex'));
    const back = await store.read(probe, { first: 0, last: bytes.length - 1 });
    await store.delete(probe);
    return back.equals(bytes) ? null : 'The store returned other bytes than were written.';
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    return error.message;
  } finally {
    await store.close();
  }
}
