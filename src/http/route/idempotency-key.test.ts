import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH, echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { raw } from '../../../test/raw-http.ts';
import type { Idempotency } from './route.ts';

let http: TestHttpServer;
let seen: (Idempotency | null)[] = [];
beforeAll(async () => {
  const spying = {
    ...echo,
    handle: (request: { idempotency: Idempotency | null }) => {
      seen.push(request.idempotency);
      return { id: 'x', body: null };
    },
  };
  http = await startHttpServer([
    spying,
    { ...spying, path: '/api/plain/:id', idempotent: false, operation: { ...echo.operation, id: 'plain' } },
  ]);
});
afterAll(() => http.server.close());

async function send(key: string | null, body = '{}', path = '/api/echo/1'): Promise<Idempotency | null> {
  seen = [];
  const headers = [AUTH, 'Content-Type: application/json', ...(key === null ? [] : [`Idempotency-Key: ${key}`])];
  const answer = await raw(http.port, { method: 'POST', path, headers, body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return seen[0]!;
}

describe('an Idempotency-Key', () => {
  it('the scope of a key is method, path and key, and the digest covers the bytes of the body', async () => {
    const first = (await send('a'))!;
    const same = (await send('a'))!;
    expect(same).toEqual(first);
    const otherKey = (await send('b'))!;
    const otherPath = (await send('a', '{}', '/api/echo/2'))!;
    const otherBytes = (await send('a', '{ }'))!;
    expect(otherKey.scope).not.toEqual(first.scope);
    expect(otherPath.scope).not.toEqual(first.scope);
    expect([otherBytes.scope.equals(first.scope), otherBytes.request.equals(first.request)]).toEqual([true, false]);
  });

  it('spelling and query of a path do not change the scope', async () => {
    const { scope } = (await send('a'))!;
    expect((await send('a', '{}', '/api/echo/%31'))!.scope).toEqual(scope);
    expect((await send('a', '{}', '/api/%65cho/1?x=1'))!.scope).toEqual(scope);
  });

  it('the header may be absent, and is ignored on routes without it', async () => {
    expect(await send(null)).toBeNull();
    expect(await send('a b', '{}', '/api/plain/1')).toBeNull();
  });

  it.each(['x', '~!#$%&()*+', 'k'.repeat(255), '"quoted"'])('the key %.20s is accepted', async (key) => {
    expect(await send(key)).not.toBeNull();
  });

  it.each([
    ['empty', ['Idempotency-Key:']],
    ['256 characters', [`Idempotency-Key: ${'k'.repeat(256)}`]],
    ['with a space', ['Idempotency-Key: a b']],
    ['not ASCII', ['Idempotency-Key: ä']],
    ['given twice', ['Idempotency-Key: a', 'Idempotency-Key: a']],
  ])('the key is refused if it is %s', async (_what, headers) => {
    const answer = await raw(http.port, { method: 'POST', path: '/api/echo/1', headers: [AUTH, ...headers] });
    expect(answer.json()).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: [{ pointer: '/headers/idempotency-key' }],
    });
  });
});
