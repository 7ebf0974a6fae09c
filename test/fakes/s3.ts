import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a store with the protocol of Amazon S3 on a real port, with one bucket, path-style URLs, PUT, GET with a
 * range, and DELETE. The store verifies Signature Version 4 as
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html describes it, and the hash of the body.
 */
export type FakeS3 = {
  url: string;
  port: number;
  objects: Map<string, Buffer>;
  /** Each received request has a text such as `PUT /bucket/name`. */
  calls: string[];
  /** All requests get this status while it is set. */
  failing: number | null;
  /** Each response waits for this promise. */
  before: (call: string) => Promise<void>;
  stop(): Promise<void>;
};

export const S3_KEY = { accessKeyId: 'AKIATEST', secretAccessKey: 'a/secret+key=' };
const BUCKET = 'parley-files';

export async function startS3(): Promise<FakeS3> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      const call = `${request.method} ${request.url}`;
      fake.calls.push(call);
      await fake.before(call);
      const { status, bytes } = answer(fake, request, body);
      response.writeHead(status).end(bytes);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [user, password] = [S3_KEY.accessKeyId, S3_KEY.secretAccessKey].map(encodeURIComponent);
  const fake: FakeS3 = {
    url: `s3+http://${user}:${password}@127.0.0.1:${port}/${BUCKET}/files?region=eu-central-1`,
    port,
    objects: new Map(),
    calls: [],
    failing: null,
    before: () => Promise.resolve(),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

function answer(fake: FakeS3, request: IncomingMessage, body: Buffer): { status: number; bytes?: Buffer | string } {
  if (fake.failing !== null) return { status: fake.failing, bytes: '<Error/>' };
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const path = request.url!;
  const signed = signatureOf({ method: request.method!, path, headers }, S3_KEY.secretAccessKey);
  if (signed !== /Signature=(\w+)$/.exec(headers['authorization'] ?? '')?.[1])
    return { status: 403, bytes: '<Error><Code>SignatureDoesNotMatch</Code></Error>' };
  if (!path.startsWith(`/${BUCKET}/`)) return { status: 404, bytes: '<Error><Code>NoSuchBucket</Code></Error>' };
  if (sha256(body) !== headers['x-amz-content-sha256']) return { status: 400, bytes: '<Error/>' };
  const name = path.slice(BUCKET.length + 2);
  if (request.method === 'PUT') {
    fake.objects.set(name, body);
    return { status: 200 };
  }
  if (request.method === 'DELETE') {
    fake.objects.delete(name);
    return { status: 204 };
  }
  const stored = fake.objects.get(name);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  if (!stored) return { status: 404, bytes: '<Error><Code>NoSuchKey</Code></Error>' };
  return { status: 206, bytes: stored.subarray(Number(from), Number(to) + 1) };
}

type Signed = { method: string; path: string; headers: Readonly<Record<string, string>> };

/** Returns the required signature of a request with the given headers. The signed path has no query. */
export function signatureOf({ method, path, headers }: Signed, secret: string): string {
  const [, scope = '', names = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=/.exec(
      headers['authorization'] ?? '',
    ) ?? [];
  const lines = names.split(';').map((name) => `${name}:${(headers[name] ?? '').trim()}\n`);
  const canonical = [method, path, '', lines.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce((made: string | Buffer, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
