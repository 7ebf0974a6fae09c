import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH, echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { head, rawExchange } from '../../../test/raw-http.ts';
import { createUploadMemory } from './upload-memory.ts';

const MIB = 1024 * 1024;

describe('files that arrive', () => {
  it('incoming files share the memory of the node, and no organization gets all of it', () => {
    const uploadMemory = createUploadMemory({ most: 10, ofOrganization: 6 });
    const [a, alsoA, b] = [uploadMemory.open('a'), uploadMemory.open('a'), uploadMemory.open('b')];
    expect([a.take(4), alsoA.take(2), alsoA.take(1)]).toEqual([true, true, false]);
    expect([b.take(4), b.take(1)]).toEqual([true, false]);
    a.release();
    a.release();
    expect([alsoA.take(4), alsoA.take(1), b.take(0)]).toEqual([true, false, true]);
    alsoA.release();
    b.release();
    expect(uploadMemory.open('c').take(6)).toBe(true);
  });

  let http: TestHttpServer;
  beforeAll(async () => {
    http = await startHttpServer([
      {
        ...echo,
        path: '/api/files/:org_id',
        rawBody: 12 * MIB,
        body: undefined,
        operation: { ...echo.operation, id: 'files' },
        handle: (request) => ({ body: (request.body as Buffer).length, id: 'file' }),
      },
      {
        ...echo,
        path: '/api/reports',
        access: 'public',
        rawBody: 12 * MIB,
        body: undefined,
        operation: { ...echo.operation, id: 'reports' },
        handle: (request) => ({ body: (request.body as Buffer).length, id: 'report' }),
      },
    ]);
  });
  afterAll(() => http.server.close());

  const file = (orgId: string, bytes: number) =>
    head({ method: 'POST', path: `/api/files/${orgId}`, headers: [AUTH, `Content-Length: ${bytes}`] });

  const report = (bytes: number) =>
    head({ method: 'POST', path: '/api/reports', headers: [`Content-Length: ${bytes}`] });

  it('incoming files get 503 while the memory is used up, and are accepted again after that', async () => {
    // Four files of which the last byte is missing.
    const slow = Array.from({ length: 4 }, () =>
      rawExchange(http.port, [file('org_1', 8 * MIB), Buffer.alloc(8 * MIB - 1), 5_000, 'x']),
    );
    // Strangers share one part of the memory.
    const strange = Array.from({ length: 4 }, () =>
      rawExchange(http.port, [report(8 * MIB), Buffer.alloc(8 * MIB - 1), 5_000, 'x']),
    );
    await pause(2_500);
    for (const start of [file('org_1', MIB), report(MIB)]) {
      const { answers } = await rawExchange(http.port, [start, Buffer.alloc(MIB)]);
      expect([answers[0]?.status, answers[0]?.json().code]).toEqual([503, 'unavailable']);
    }
    const other = await rawExchange(http.port, [file('org_2', MIB), Buffer.alloc(MIB)]);
    expect(other.answers[0]?.status).toBe(200);
    for (const {
      answers: [answer],
    } of await Promise.all([...slow, ...strange]))
      expect(answer?.status).toBe(200);
    const again = await rawExchange(http.port, [file('org_1', MIB), Buffer.alloc(MIB)]);
    expect(again.answers[0]?.status).toBe(200);
  });
});
