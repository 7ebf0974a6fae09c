import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { type FakeS3, S3_KEY, signatureOf, startS3 } from '../../../test/fakes/s3.ts';
import { loadBlobs } from '../../config/blobs.ts';
import { type BlobStore, createBlobStore } from '../../kernel/blob-store.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { beginMove, completeMove, findMovable, objectName } from '../../store/attachments/blobs.ts';
import { eraseEndUser } from '../../store/end-users/erase.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { attachment } from '../../store/schema/attachment.ts';
import { createBlobWorker } from './blob-worker.ts';

let s3: FakeS3;
let parley: TestApp;
let blobs: BlobStore;
let worker: ReturnType<typeof createBlobWorker>;
let orgId: string;
let conversationId: string;
let endUserId: string;

beforeAll(async () => {
  s3 = await startS3();
  // The files are moved by the worker of the test.
  parley = await startTestApp({ BLOBS_URL: s3.url }, { role: 'api' });
  blobs = createBlobStore(loadBlobs({ BLOBS_URL: s3.url }).blobs!);
});
beforeEach(async () => {
  ({ orgId, conversationId, endUserId } = await givenPlace());
  worker = createBlobWorker({ db: parley.db, log: createLogger({ level: 'silent', pretty: false }), blobs });
  worker.start();
});
afterEach(async () => {
  s3.failing = null;
  s3.before = () => Promise.resolve();
  await worker.stop();
  await parley.db.execute(sql`DELETE FROM attachment`);
  await parley.db.execute(sql`DELETE FROM blob_deletion`);
  s3.objects.clear();
  s3.calls.length = 0;
});
afterAll(async () => {
  await blobs?.close();
  await parley?.stop();
  await s3?.stop();
});

const givenPlace = async () => {
  const org = await givenOrganization(parley.db);
  const { channelId } = await givenAgent(parley.db, org);
  const { id, endUserId: person } = await givenConversation(parley.db, org, channelId);
  return { orgId: org, conversationId: id, endUserId: person };
};
const CAT = Buffer.from('a picture of a cat, in bytes');
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** Where the file is read. */
const given = async (bytes = CAT, place = { orgId, conversationId }): Promise<{ path: string; messageId: string }> => {
  const messageId = await givenMessage(parley.db, place.orgId, place.conversationId, {
    content: { type: 'text', text: 'A file.' },
  });
  const id = newId('attachment');
  const row = { token: 'token', name: 'cat.txt', type: 'text/plain', size: bytes.length, hash: hashOf(bytes), bytes };
  await parley.db.insert(attachment).values({ ...row, orgId: place.orgId, id, messageId });
  return { path: `/attachments/${place.orgId}/${id}/token/cat.txt`, messageId };
};
const read = (path: string, headers: Record<string, string> = {}) => fetch(parley.url + path, { headers });
const erase = (messageId: string) => parley.db.execute(sql`DELETE FROM message WHERE id = ${messageId}`);
const nameOf = (bytes = CAT, org = orgId): string => `files/${org}/${hashOf(bytes)}`;
const names = (): string[] => [...s3.objects.keys()].toSorted();
const inDatabase = async (): Promise<number> =>
  (await parley.db.execute(sql`SELECT 1 FROM attachment WHERE bytes IS NOT NULL`)).rows.length;
const waiting = async () => (await parley.db.execute(sql`SELECT hash FROM blob_deletion`)).rows.length;
const moved = async (): Promise<void> => {
  worker.wake();
  await expect.poll(inDatabase).toBe(0);
};
/** As after ten minutes. */
const later = async (): Promise<void> => {
  await parley.db.execute(sql`UPDATE attachment SET placed_at = placed_at - interval '10 minutes'`);
  await parley.db.execute(sql`UPDATE blob_deletion SET due_at = now() - interval '1 second'`);
  worker.wake();
};

it('the fake store checks signatures as Amazon documents it', () => {
  // “Example: GET Object” of the page that the fake names.
  const headers = {
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=?',
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
  };
  expect(signatureOf({ method: 'GET', path: '/test.txt', headers }, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY')).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

describe('a file in a store of its own', () => {
  it('a file is moved to the store and can be read whole and in parts', async () => {
    const { path } = await given();
    expect(await (await read(path)).text()).toBe(String(CAT));
    await moved();
    expect(names()).toEqual([nameOf()]);
    const whole = await read(path);
    expect([whole.status, await whole.text()]).toEqual([200, String(CAT)]);
    const part = await read(path, { range: 'bytes=2-8' });
    expect([part.status, await part.text()]).toEqual([206, 'picture']);
    expect((await read(path.replace('token', 'other'))).status).toBe(404);
  });

  it('a large file is read in several parts', async () => {
    // What it contains is not ours to change, also if it is the key of the store.
    const large = Buffer.alloc(1_500_000, `a picture of ${S3_KEY.secretAccessKey}, a large cat; `);
    const { path } = await given(large);
    await moved();
    expect(Buffer.from(await (await read(path)).arrayBuffer()).equals(large)).toBe(true);
    expect(s3.calls.filter((call) => call.startsWith('GET'))).toHaveLength(3);
  });

  it('equal files of one organization share one object, which is deleted with the last of them', async () => {
    const other = await givenPlace();
    const [one, two] = [await given(), await given()];
    const theirs = await given(CAT, other);
    await moved();
    expect(names()).toEqual([nameOf(), nameOf(CAT, other.orgId)].toSorted());
    await erase(one.messageId);
    worker.wake();
    await expect.poll(waiting).toBe(0);
    expect(await (await read(two.path)).text()).toBe(String(CAT));
    await erase(two.messageId);
    worker.wake();
    await expect.poll(names).toEqual([nameOf(CAT, other.orgId)]);
    expect(await (await read(theirs.path)).text()).toBe(String(CAT));
  });

  it('a file stays in the database while the store is down or refuses, and is moved later', async () => {
    const { path } = await given();
    s3.failing = 503;
    worker.wake();
    await expect.poll(() => s3.calls.length).toBeGreaterThan(0);
    expect(await (await read(path)).text()).toBe(String(CAT));
    s3.failing = null;
    await later();
    await expect.poll(names).toEqual([nameOf()]);
  });

  it("a file cannot be read while the store is down: the response is 503 and does not repeat the store's text", async () => {
    const { path } = await given();
    await moved();
    s3.failing = 500;
    const answer = await read(path);
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('the log contains no key of the store when the store refuses it', async () => {
    const lines: string[] = [];
    const log = createLogger({
      level: 'trace',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    await worker.stop();
    worker = createBlobWorker({ db: parley.db, log, blobs });
    await given();
    s3.failing = 403;
    worker.start();
    worker.wake();
    await expect.poll(() => lines.join('')).toContain('rejects the key');
    expect(lines.join('')).not.toContain(S3_KEY.secretAccessKey);
    expect(lines.join('')).not.toContain(encodeURIComponent(S3_KEY.secretAccessKey));
  });

  it('a file is deleted with its person', async () => {
    await given();
    await moved();
    await parley.db.transaction((tx) => eraseEndUser(tx, orgId, endUserId, createSuppression(Buffer.alloc(32))));
    worker.wake();
    await expect.poll(names).toEqual([]);
  });

  it('a file is deleted later if the store is down at that time', async () => {
    const { messageId } = await given();
    await moved();
    s3.failing = 503;
    await erase(messageId);
    worker.wake();
    await expect.poll(() => s3.calls.filter((call) => call.startsWith('DELETE')).length).toBe(1);
    expect([names(), await waiting()]).toEqual([[nameOf()], 1]);
    s3.failing = null;
    await later();
    await expect.poll(names).toEqual([]);
    await expect.poll(waiting).toBe(0);
  });

  it('a file that is erased during its move leaves no object', async () => {
    const { messageId } = await given();
    s3.before = async (call) => {
      if (call.startsWith('PUT')) await erase(messageId);
    };
    worker.wake();
    await expect.poll(names).toEqual([nameOf()]);
    await expect.poll(waiting).toBe(1);
    s3.before = () => Promise.resolve();
    await later();
    await expect.poll(names).toEqual([]);
  });

  it('a file is not lost if an equal one arrives while the object is being deleted', async () => {
    const { messageId } = await given();
    await moved();
    const next = Promise.withResolvers<string>();
    let begun: Promise<void> | undefined;
    const moveNext = async (): Promise<void> => {
      const [one] = await findMovable(parley.db, 1);
      const bytes = await beginMove(parley.db, one!);
      await blobs.put(objectName(one!), bytes!, one!.hash);
      await completeMove(parley.db, one!);
    };
    s3.before = async (call) => {
      if (!call.startsWith('DELETE')) return;
      const { path } = await given();
      // It waits for the end of the deletion.
      begun = moveNext();
      await new Promise((resolve) => setTimeout(resolve, 300));
      next.resolve(path);
    };
    await erase(messageId);
    worker.wake();
    const path = await next.promise;
    await begun;
    await expect.poll(waiting).toBe(0);
    expect(names()).toEqual([nameOf()]);
    expect(await (await read(path)).text()).toBe(String(CAT));
  });

  it('an erase does not wait for the store, which is still deleting the object', async () => {
    const [one, two] = [await given(), await given()];
    await moved();
    let erased = 0;
    // The check has found no row with the object; now one that has it goes.
    s3.before = async (call) => {
      if (!call.startsWith('DELETE') || erased > 0) return;
      await parley.db.execute(sql`UPDATE attachment SET place = 'store' WHERE message_id = ${two.messageId}`);
      await erase(two.messageId);
      erased = await waiting();
    };
    await parley.db.execute(sql`UPDATE attachment SET place = NULL WHERE message_id = ${two.messageId}`);
    await erase(one.messageId);
    worker.wake();
    await expect.poll(() => erased).toBe(1);
    await expect.poll(() => s3.calls.filter((call) => call.startsWith('DELETE')).length).toBe(2);
    await expect.poll(waiting).toBe(0);
    expect(names()).toEqual([]);
  });

  it('another worker moves a file if the first one died', async () => {
    await worker.stop();
    await given();
    await parley.db.execute(sql`UPDATE attachment SET place = 'moving', placed_at = now()`);
    const second = createBlobWorker({ db: parley.db, log: createLogger({ level: 'silent', pretty: false }), blobs });
    second.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(names()).toEqual([]);
    await parley.db.execute(sql`UPDATE attachment SET placed_at = now() - interval '6 minutes'`);
    second.wake();
    await expect.poll(names).toEqual([nameOf()]);
    await second.stop();
  });
});
