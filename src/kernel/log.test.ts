import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { createLogger, type Logger } from './log.ts';
import { ownFile } from './own-files.ts';
import { redact } from './redact.ts';

const KEY = `parley_us_AbC123${'x9Y'.repeat(14)}Z`;
const CANARY = KEY.slice('parley_us_AbC123'.length);

function logged(write: (log: Logger) => void, pretty = false): string {
  let output = '';
  const destination = { write: (line: string) => void (output += line) };
  write(createLogger({ level: 'trace', pretty, destination }));
  return output;
}

const failing = (): Error =>
  Object.assign(new Error(`refused ${KEY}`, { cause: new Error(`caused by ${KEY}`) }), {
    detail: KEY,
    nested: { deep: [KEY] },
  });

const PLACES: Record<string, (log: Logger) => void> = {
  'a message': (log) => log.info(`key ${KEY} came`),
  'a formatted message': (log) => log.info('key %s and %j', KEY, { key: KEY }),
  'a member': (log) => log.info({ key: KEY }, 'x'),
  "a member's name": (log) => log.info({ [KEY]: 1 }, 'x'),
  'a nested list': (log) => log.info({ a: { b: [{ c: KEY }] } }, 'x'),
  'an error, its cause, its members and its stack': (log) => log.error(failing()),
  'an error under err': (log) => log.error({ err: failing() }, 'failed'),
  'bindings of a child': (log) => log.child({ key: KEY }).info('x'),
  headers: (log) => log.info({ headers: { authorization: `Bearer ${KEY}`, cookie: KEY } }, 'x'),
  'raw headers': (log) => log.info({ rawHeaders: ['Authorization', `Bearer ${KEY}`, 'Cookie', `s=${KEY}`] }, 'x'),
  'a URL': (log) => log.info(`GET /api/me?key=${KEY}&parley%5Fus%5FAbC123${CANARY}`),
  'a key glued to other text': (log) => log.info(`"${KEY}" ${KEY}, ${KEY}ABCDEF (${KEY})`),
  'lines of a text': (log) => log.info(`a\n${KEY}\r\n${KEY}\t${KEY}\nauthorization: ${KEY}\nbearer ${KEY}`),
  'JSON in a text': (log) => log.info(JSON.stringify({ key: KEY, inner: JSON.stringify({ key: KEY }) })),
};

describe('only the prefix of an API key appears', () => {
  test.each(Object.keys(PLACES))('only the prefix of an API key is logged in %s', (place) => {
    for (const pretty of [false, true]) {
      const output = logged(PLACES[place]!, pretty);
      expect(output).not.toContain(CANARY);
      expect(output).not.toContain(CANARY.slice(0, 8));
      expect(output.length).toBeGreaterThan(20);
    }
    expect(() => JSON.parse(logged(PLACES[place]!))).not.toThrow();
  });

  test('the log contains the prefix of a key, so that people can find the key', () => {
    expect(logged((log) => log.info(`key ${KEY}`))).toContain('parley_us_AbC123[redacted]');
    expect(redact('key parley_us_AbC123 was renamed')).toBe('key parley_us_AbC123 was renamed');
  });
});

describe('other credentials are redacted', () => {
  const secret = 'Zq7wKx2mVb9nRt4y';
  test.each<[string, unknown]>([
    ['a signing secret', `whsec_${secret}+/=`],
    ['a bearer token', `sent bearer   ${secret}`],
    ['a basic header', `Authorization: Basic ${secret}\r\nHost: x`],
    [
      'a header member',
      { headers: { Authorization: `Basic ${secret}`, 'set-cookie': [`a=${secret}`, `b=${secret}`] } },
    ],
    ['a cookie line', `Cookie: session=${secret}; other=${secret}`],
    ['a session cookie alone', `__Host-parley.session_token=${secret}`],
    ['a password in a URL', `connect postgres://parley:${secret}@db:5432/parley failed`],
    ['a password with an @ in a URL', `redis://:p@${secret}@cache:6379`],
    ['a password in a query', `postgresql://db/parley?user=x&password=${secret}`],
    ['a password member', { password: secret, nested: { new_password: `"\\${secret}"` } }],
    ['a password member in a text', `body was {"password":"${secret}"}`],
    ['a setup link', `open http://127.0.0.1:4000/setup?token=${secret} now`],
    ['a setup link with a path', `open /setup/${secret} now`],
    ['an invitation link', `open http://127.0.0.1:4000/invitations/invite_01k8v3m9e5f7rsm6z4n0q2x1ab.${secret} now`],
    ['a call with an invitation', `POST /dashboard/api/invitations/invite_01k8v3m9e5f7rsm6z4n0q2x1ab.${secret}`],
    ['a password link', `open http://127.0.0.1:4000/password/user_01k8v3m9e5f7rsm6z4n0q2x1ab.1790000000.${secret} now`],
    ['a call with a password link', `/password-links/user_01k8v3m9e5f7rsm6z4n0q2x1ab.1790000000.${secret}`],
    ['a client token', `call with parley_client_us_aB-_9${secret} failed`],
    ['a client token in a header', `Bearer parley_client_qa_${secret}`],
    ['a client token in a URL', `/x?a=parley%5Fclient%5Fus%5FaB%5F${secret}&b=1`],
    ['an OpenAI key', `sk-proj-${secret}`],
    ['a Slack token', `xoxb-1234567890-${secret}`],
    ['a Telegram token', `12345678:AA${secret}${secret}`],
  ])('%s', (_, value) => {
    const output = logged((log) => (typeof value === 'string' ? log.info(value) : log.info(value, 'x')));
    expect(output).not.toContain(secret);
    expect(() => JSON.parse(output)).not.toThrow();
  });

  test('the text around a redacted credential stays readable', () => {
    expect(redact('connect postgres://parley:hunter22@db:5432/parley failed')).toBe(
      'connect postgres://parley:[redacted]@db:5432/parley failed',
    );
    const line =
      '{"level":"info","path":"/api/triggers/agent_01/trigger_01","msg":"http://127.0.0.1:4000/docs a@b.example"}';
    expect(redact(line)).toBe(line);
  });
});

test('an error of the database is logged without the values of its statement', () => {
  const reason = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    detail: 'Key (email)=(noor@example.qa)',
  });
  const failed = new DrizzleQueryError('insert into message values ($1)', ['My PIN is 4417'], reason);
  for (const error of [failed, new Error('The turn failed', { cause: failed }), reason]) {
    const output = logged((log) => log.warn({ err: error }, 'failed'));
    expect(output).toContain('duplicate key value');
    expect(output).not.toMatch(/4417|noor@/);
  }
  expect(logged((log) => log.warn({ err: failed }, 'failed'))).toContain('insert into message values ($1)');
});

test('a hostile line of 32,000 characters costs no more than an ordinary line of that length', () => {
  for (const part of [
    'a.',
    'parley_',
    'a://',
    '"token":',
    'cookie:',
    '\\"secret\\":',
    'bearer ',
    'password',
    '1234567890:',
    '\\',
  ]) {
    const line = JSON.stringify({ msg: `token ${part.repeat(32_000 / part.length)}` });
    expect(cpuMs(() => void redact(line))).toBeLessThan(100);
  }
});

test('a hostile message of 64,000 characters in an error costs no more than an ordinary message', () => {
  // The stack of an error names files of the program.
  const error = new Error(`${pathToFileURL(ownFile('.')).href}/ ${'file:///'.repeat(8_000)}`);
  expect(cpuMs(() => void logged((log) => log.error({ err: error }, 'failed')))).toBeLessThan(200);
});

describe('the log', () => {
  test('each line is one JSON object, with level as a word and time as text', () => {
    const line = JSON.parse(logged((log) => log.warn({ request_id: 'req_1' }, 'slow'))) as Record<string, unknown>;
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      request_id: 'req_1',
      msg: 'slow',
    });
  });

  test('a request is one readable line on a terminal', () => {
    const output = logged(
      (log) =>
        log.info(
          {
            method: 'GET',
            route: '/api/me',
            key_id: 'key_1',
            status: 401,
            ms: 1.234,
            code: 'key_revoked',
            request_id: 'req_1',
          },
          'request',
        ),
      true,
    );
    expect(output).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: 401 GET \/api\/me key_revoked 1\.2 ms req_1\n$/);
  });

  test.each([
    'process.exit(3)',
    'throw new Error("unexpected")',
    'log.fatal("last words"); process.kill(process.pid, "SIGKILL")',
  ])('no buffered line is lost on: %s', (end) => {
    const program = `import { createLogger } from '${path.join(import.meta.dirname, 'log.ts')}';
        const log = createLogger({ level: 'info', pretty: false });
        for (let i = 1; i <= 50; i++) log.info('line ' + i);
        ${end};`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(stdout).toContain('line 50');
  });
});
