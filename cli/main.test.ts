import { describe, expect, test } from 'vitest';
import { answer, errorOf, lastCall, MEMBER, runCli, stage, stageSignedIn } from './testing/run-cli.ts';

const DEAD = 'http://127.0.0.1:9';

describe('a mistake in typing', () => {
  test.each([
    [['key', 'list'], /Unknown command 'key'\n\(Did you mean keys\?\)/],
    [['keys', 'create', '--label', 'x', '--scope', 'organization'], /--permissions triggers/],
    [['keys'], /Choose a command/],
  ])('the mistyped command %j ends with exit code 1 and one line of JSON with the remedy', async (args, message) => {
    const ended = await runCli(args, { ...MEMBER, PARLEY_URL: DEAD });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(Object.keys(errorOf(ended))).toEqual(['code', 'message']);
    expect(errorOf(ended)).toEqual({ code: 'usage_invalid', message: expect.stringMatching(message) });
  });
});

describe('a failure between command line and server', () => {
  test('the error names the address and the remedy if no server listens', async () => {
    const ended = await runCli(['whoami'], { ...MEMBER, PARLEY_URL: DEAD });
    expect(errorOf(ended)).toEqual({
      code: 'server_unreachable',
      message: `Parley does not respond at ${DEAD}: start it with npm start, or set PARLEY_URL.`,
    });
  });

  test('the error explains that another program responded', async () => {
    await using html = await stage((_seen, reply) => reply.writeHead(502).end('<html>Bad gateway</html>'));
    const error = errorOf(await runCli(['whoami'], { ...MEMBER, PARLEY_URL: html.url }));
    expect(error).toEqual({ code: 'server_not_parley', message: expect.stringContaining('status 502') });
  });

  test('the error explains that the connection broke during the response', async () => {
    await using broken = await stage((_seen, reply) => {
      reply.writeHead(200, { 'content-length': '1000' }).write('{"us');
      setTimeout(() => reply.destroy(), 20);
    });
    const error = errorOf(await runCli(['whoami'], { ...MEMBER, PARLEY_URL: broken.url }));
    expect(error).toEqual({ code: 'server_unreachable', message: expect.stringContaining('not known whether') });
  });

  test('the refusal of the server is printed unchanged, with each fault of the body', async () => {
    await using server = await stageSignedIn((_seen, reply) =>
      answer(reply, 422, {
        code: 'validation_failed',
        detail: 'The body has 1 fault.',
        errors: [{ pointer: '/name', code: 'too_long', detail: 'At most 200 characters.' }],
      }),
    );
    const ended = await runCli(['agents', 'create', '--name', 'x'], { ...MEMBER, PARLEY_URL: server.url });
    expect(ended.code).toBe(1);
    expect(errorOf(ended)).toEqual({
      code: 'validation_failed',
      message: 'The body has 1 fault.\n/name: At most 200 characters.',
    });
  });

  test('the request ID of a server error is printed', async () => {
    await using server = await stageSignedIn((_seen, reply) =>
      answer(reply, 500, { code: 'internal_error', detail: 'Something went wrong.', request_id: 'req_42' }),
    );
    const ended = await runCli(['agents', 'list'], { ...MEMBER, PARLEY_URL: server.url });
    expect(errorOf(ended).message).toBe('Something went wrong. (req_42)');
  });
});

describe('requests and output', () => {
  const KEY = {
    id: 'key_1',
    prefix: 'parley_us_abcdef',
    label: 'CRM',
    scope: 'organization',
    agent_id: null,
    campaign_id: null,
    permissions: ['triggers'],
    state: 'active',
    created_at: '2026-11-21T10:00:00.000Z',
    last_used_at: null,
  };

  test('a new key is printed with exactly the fields that scripts rely on, in this order', async () => {
    await using server = await stageSignedIn((_seen, reply) => answer(reply, 201, { ...KEY, value: 'parley_us_x' }));
    const args = ['keys', 'create', '--label', 'CRM', '--scope', 'organization', '--permissions', 'triggers, channels'];
    const { stdout } = await runCli(args, { ...MEMBER, PARLEY_URL: server.url });
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(
      'id value prefix label scope agent_id campaign_id permissions created_at last_used_at'.split(' '),
    );
    const { url, body, headers } = lastCall(server);
    expect(url).toBe('/dashboard/api/organizations/org_1/keys');
    expect(headers.origin).toBe(server.url);
    // The list of sessions shows this program by its name.
    expect(headers['user-agent']).toMatch(/^parley-cli \(\w+\)$/);
    expect(JSON.parse(body)).toEqual({ label: 'CRM', scope: 'organization', permissions: ['triggers', 'channels'] });
  });

  test('the list of keys has all pages, and "Never" for an unused key', async () => {
    await using server = await stageSignedIn((seen, reply) => {
      const second = seen.url.includes('cursor=c1');
      const used = { ...KEY, id: 'key_2', last_used_at: '2026-11-21T10:00:00.000Z' };
      answer(reply, 200, { data: [second ? used : KEY], next_cursor: second ? null : 'c1', has_more: !second });
    });
    const { stdout } = await runCli(['keys', 'list'], { ...MEMBER, PARLEY_URL: server.url });
    const { data, ...rest } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
    expect(data.map((row) => [row['id'], row['last_used']])).toEqual([
      ['key_1', 'Never'],
      ['key_2', '2026-11-21T10:00:00.000Z'],
    ]);
    expect(rest).toEqual({});
    expect(data.every((row) => !('value' in row))).toBe(true);
  });

  test('--limit applies to a list without pages', async () => {
    const members = ['user_1', 'user_2', 'user_3'].map((id) => ({ id }));
    await using server = await stageSignedIn((_seen, reply) => answer(reply, 200, { data: members }));
    const { stdout } = await runCli(['members', 'list', '--limit', '2'], { ...MEMBER, PARLEY_URL: server.url });
    expect(JSON.parse(stdout)).toEqual({ data: members.slice(0, 2) });
  });

  test('an import whose upload fails is cancelled, because its file would use one of few places', async () => {
    await using server = await stageSignedIn((seen, reply) =>
      seen.url.includes('/pieces/')
        ? answer(reply, 503, { code: 'unavailable', detail: 'Try again.' })
        : answer(reply, 201, { id: 'import_1' }),
    );
    const args = ['end-users', 'import', '--file', 'package.json'];
    const ended = await runCli(args, { ...MEMBER, PARLEY_URL: server.url });
    expect(errorOf(ended)).toMatchObject({ code: 'unavailable' });
    expect(lastCall(server)).toMatchObject({ method: 'POST', url: expect.stringContaining('/import_1/cancel') });
  });

  test('a session that a command opened ends with the command, even if the command fails', async () => {
    await using server = await stageSignedIn((seen, reply) =>
      seen.method === 'GET' ? answer(reply, 200, { data: [], next_cursor: null }) : answer(reply, 404, { code: 'x' }),
    );
    const env = { ...MEMBER, PARLEY_URL: server.url };
    await runCli(['agents', 'list'], env);
    await runCli(['agents', 'create', '--name', 'x'], env);
    expect(server.seen.filter(({ url }) => url.endsWith('/sign-in'))).toHaveLength(2);
    expect(server.seen.filter(({ url }) => url.endsWith('/sign-out'))).toHaveLength(2);
    expect(server.seen.at(-1)!.url).toBe('/dashboard/api/sign-out');
  });

  test('a person with several organizations must use --org, and the error lists them', async () => {
    await using server = await stageSignedIn(
      (_seen, reply) => answer(reply, 200, { data: [], next_cursor: null }),
      [
        { id: 'org_1', name: 'One' },
        { id: 'org_2', name: 'Two' },
      ],
    );
    const env = { ...MEMBER, PARLEY_URL: server.url };
    const error = errorOf(await runCli(['agents', 'list'], env));
    expect(error.code).toBe('organization_ambiguous');
    expect(error.message).toMatch(/org_1 {2}One\n.*org_2 {2}Two/);
    expect((await runCli(['agents', 'list', '--org', 'org_2'], env)).code).toBe(0);
    expect(lastCall(server).url).toContain('/organizations/org_2/agents?');
    expect((await runCli(['agents', 'list'], { ...env, PARLEY_ORG: 'org_1' })).code).toBe(0);
  });

  test('the trigger command calls the public API with PARLEY_API_KEY and its headers', async () => {
    await using server = await stage((_seen, reply) => answer(reply, 202, { id: 'run_1', status: 'queued' }));
    const env = { PARLEY_URL: server.url, PARLEY_API_KEY: 'parley_us_k' };
    const flags = ['--wait', '5', '--idempotency-key', 'i1', '--external-id', 'crm-42', '--variables', '{"a":1}'];
    const { stdout } = await runCli(['trigger', 'agent_1', 'trigger/1', ...flags], env);
    expect(JSON.parse(stdout)).toEqual({ id: 'run_1', status: 'queued' });
    const { url, headers, body } = server.seen[0]!;
    expect(url).toBe('/api/triggers/agent_1/trigger%2F1');
    expect(headers).toMatchObject({ authorization: 'Bearer parley_us_k', prefer: 'wait=5', 'idempotency-key': 'i1' });
    expect(JSON.parse(body)).toEqual({ end_user: { external_id: 'crm-42' }, variables: { a: 1 } });
  });
});
