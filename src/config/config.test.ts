import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../contract/limits.ts';
import { type Config, loadConfig, loadDatabasePlace, withPort } from './config.ts';
import type { Environment } from './environment.ts';
import { adoptNextSecret, hasNextSecret, makeNextSecret } from './secret-file.ts';
import { deriveSecrets } from './secrets.ts';

const SECRET = 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6';
const DATABASE_URL = 'postgresql://u:s3cr3t-pw@db.internal:5432/parley';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-config-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function load(env: Environment): Config {
  const result = loadConfig({ DATA_DIR: dataDir, PARLEY_SECRET: SECRET, ...env });
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result.config;
}

function faultsOf(env: Environment): string[] {
  const result = loadConfig({ DATA_DIR: dataDir, PARLEY_SECRET: SECRET, ...env });
  return 'faults' in result ? result.faults.map(({ variable }) => variable) : [];
}

function warningsOf(env: Environment): string[] {
  const result = loadConfig({ DATA_DIR: dataDir, PARLEY_SECRET: SECRET, ...env });
  return 'warnings' in result ? result.warnings : [];
}

describe('defaults', () => {
  test('the defaults are those of the contract', () => {
    expect(load({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      databaseUrl: null,
      redisUrl: null,
      region: 'us',
      baseUrl: 'http://127.0.0.1:4000',
      owner: null,
      demo: null,
      limits: DEFAULT_RATE_LIMITS,
      egressAllow: [],
      trustedProxies: [],
      logLevel: 'info',
      logFormat: null,
      upgradeUrl: null,
      metricsAddress: null,
      mail: null,
      traces: null,
    });
  });

  test('the default URL can be opened in a browser, and the default regions are known', () => {
    const { baseUrls, baseUrl } = load({ HOST: '0.0.0.0', PORT: '8080', PARLEY_REGION: 'qa' });
    expect(baseUrl).toBe('http://127.0.0.1:8080');
    expect(baseUrls).toEqual({
      us: 'https://us.parley.example',
      eu: 'https://eu.parley.example',
      in: 'https://in.parley.example',
      qa: 'http://127.0.0.1:8080',
    });
    expect(load({ HOST: '::' }).baseUrl).toBe('http://[::1]:4000');
  });

  test('the defaults follow the port that the system chose, unless the URL is set', () => {
    expect(withPort(load({ PORT: '0' }), 5555)).toMatchObject({
      port: 5555,
      baseUrl: 'http://127.0.0.1:5555',
      baseUrls: { us: 'http://127.0.0.1:5555' },
    });
    expect(withPort(load({ PORT: '0', BASE_URL_US: 'https://p.example/' }), 5555).baseUrl).toBe('https://p.example');
  });
});

describe('faults', () => {
  test('all faults are reported together, each with a solution, and never with a value', () => {
    const result = loadConfig({
      DATA_DIR: dataDir,
      PORT: 'canary-1',
      HOST: 'canary 2',
      DATABASE_URL: 'mysql://canary-3@x/y',
      REDIS_URL: 'canary-4',
      PARLEY_REGION: 'canary-5',
      BASE_URL_EU: 'https://u:canary-6@host',
      PARLEY_OWNER_EMAIL: 'canary-7',
      PARLEY_OWNER_PASSWORD: 'canary8',
      PARLEY_DEMO: 'canary-9',
      PARLEY_LIMITS: '["canary-10"]',
      PARLEY_EGRESS_ALLOW: 'a b',
      LOG_LEVEL: 'canary-11',
      TRUSTED_PROXIES: '10.0.0.0/8, canary-14',
      UPGRADE_URL: 'canary-12',
      METRICS_ADDRESS: 'canary-13',
    });
    const faults = 'faults' in result ? result.faults : [];
    expect(faults.map(({ variable }) => variable).toSorted()).toEqual(
      [
        'PORT',
        'HOST',
        'DATABASE_URL',
        'REDIS_URL',
        'PARLEY_REGION',
        'BASE_URL_EU',
        'PARLEY_OWNER_EMAIL',
        'PARLEY_OWNER_PASSWORD',
      ]
        .concat(
          'PARLEY_DEMO',
          'PARLEY_LIMITS',
          'PARLEY_EGRESS_ALLOW',
          'LOG_LEVEL',
          'TRUSTED_PROXIES',
          'UPGRADE_URL',
          'METRICS_ADDRESS',
          'PARLEY_SECRET',
        )
        .toSorted(),
    );
    expect(faults.every(({ fix }) => fix.length > 10)).toBe(true);
    expect(JSON.stringify(faults)).not.toContain('canary');
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test.each([
    ['PORT', ['-1', '65536', '4000.5', '0x10', '1e3']],
    ['DATABASE_URL', ['localhost:5432/x', 'postgresql://host', 'http://host/db']],
    ['BASE_URL_US', ['parley.example', 'ftp://x.example', 'https://x.example/path', 'https://x.example?q']],
    ['PARLEY_EGRESS_ALLOW', ['10.0.0.0/33', 'http://host', 'a,b/8']],
    ['PARLEY_DEMO', ['2', 'maybe']],
  ])('%s', (variable, values) => {
    for (const value of values) expect(faultsOf({ [variable]: value })).toEqual([variable]);
  });

  test('an owner needs both e-mail address and password', () => {
    expect(faultsOf({ PARLEY_OWNER_EMAIL: 'a@b.example' })).toEqual(['PARLEY_OWNER_PASSWORD']);
    expect(faultsOf({ PARLEY_OWNER_PASSWORD: 'long enough' })).toEqual(['PARLEY_OWNER_EMAIL']);
    const owner = { email: 'a@b.example', password: ' long enough' };
    expect(load({ PARLEY_OWNER_EMAIL: owner.email, PARLEY_OWNER_PASSWORD: owner.password }).owner).toEqual(owner);
  });

  test('an empty variable counts as not set', () => {
    expect(load({ PORT: '', DATABASE_URL: ' ', PARLEY_LIMITS: '', PARLEY_OWNER_EMAIL: '' }).port).toBe(4000);
  });
});

describe('limits', () => {
  test('the configured limits replace only the limits that they name', () => {
    expect(load({ PARLEY_LIMITS: '{"triggers":{"key":5},"campaigns":{}}' }).limits).toEqual({
      ...DEFAULT_RATE_LIMITS,
      triggers: { key: 5, organization: DEFAULT_RATE_LIMITS.triggers.organization },
    });
  });

  test('limits are whole numbers above 0 with known names', () => {
    for (const wrong of [
      '{"trigger":{}}',
      '{"triggers":{"keys":1}}',
      '{"triggers":5}',
      '{"triggers":{"key":0}}',
      '{"triggers":{"key":1.5}}',
      '{"triggers":{"key":"5"}}',
      '{',
      '5',
      'null',
      '{"__proto__":{}}',
    ]) {
      expect(faultsOf({ PARLEY_LIMITS: wrong })).toEqual(['PARLEY_LIMITS']);
    }
    expect(faultsOf({ PARLEY_LIMITS: '{"x":1,"triggers":{"key":-1}}' })).toHaveLength(2);
  });
});

describe('the secret', () => {
  test('the secret is created on the first start with an embedded database, and does not change', () => {
    const first = load({ PARLEY_SECRET: '' }).secret;
    expect(first.length).toBeGreaterThanOrEqual(32);
    expect(statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
    expect(load({ PARLEY_SECRET: '' }).secret).toBe(first);
    chmodSync(path.join(dataDir, 'secret'), 0o644);
    load({ PARLEY_SECRET: '' });
    expect(statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  });

  test('the old secret of an embedded installation is stored next to the new one for 30 days', () => {
    const own = () => {
      const { secret, previousSecret } = load({ PARLEY_SECRET: '' });
      return [secret, previousSecret];
    };
    const [first] = own();
    makeNextSecret(dataDir);
    const [next] = own();
    expect(own()).toEqual([next, first]);
    // If it was interrupted, the swap is repeated.
    linkSync(path.join(dataDir, 'secret'), path.join(dataDir, 'secret.previous'));
    for (let times = 0; times < 2; times++) adoptNextSecret(dataDir);
    expect(own()).toEqual([next, first]);
    expect(hasNextSecret(dataDir)).toBe(false);
    const longAgo = Date.now() / 1_000 - 31 * 86_400;
    utimesSync(path.join(dataDir, 'secret'), longAgo, longAgo);
    expect(own()).toEqual([next, null]);
    expect(readdirSync(dataDir)).toEqual(['secret']);
  });

  test('the previous secret is accepted only together with the new one', () => {
    expect(load({ PARLEY_SECRET_PREVIOUS: 'of before' }).previousSecret).toBe('of before');
    expect(faultsOf({ PARLEY_SECRET: '', PARLEY_SECRET_PREVIOUS: 'of before' })).toEqual(['PARLEY_SECRET_PREVIOUS']);
    expect(faultsOf({ PARLEY_SECRET_PREVIOUS: SECRET })).toEqual(['PARLEY_SECRET_PREVIOUS']);
  });

  test('the secret is required with a database address', () => {
    expect(faultsOf({ DATABASE_URL, PARLEY_SECRET: '' })).toEqual(['PARLEY_SECRET']);
    expect(load({ DATABASE_URL }).secret).toBe(SECRET);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('the secret is never replaced while there is data that it protects', () => {
    mkdirSync(path.join(dataDir, 'postgres'));
    expect(faultsOf({ PARLEY_SECRET: '' })).toEqual(['PARLEY_SECRET']);
    expect(readdirSync(dataDir)).toEqual(['postgres']);
  });

  test.each([
    'short',
    'a'.repeat(64),
    'abc123'.repeat(8),
    'changeme-changeme-changeme-changeme-1',
    'please-Change-Me-before-you-deploy-42x',
    'this-is-my-super-secret-value-91-zq7w',
    '0123456789abcdef0123456789abcdef',
    'your-32-characters-or-more-go-in-here',
    'paste the output of openssl rand here',
  ])('the placeholder %s is refused as a secret', (secret) => {
    expect(faultsOf({ PARLEY_SECRET: secret })).toEqual(['PARLEY_SECRET']);
    expect(faultsOf({ PARLEY_SECRET: secret, DATABASE_URL })).toEqual(['PARLEY_SECRET']);
  });

  test('a value from our own documents is refused as a secret', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const docs = existsSync(path.join(root, 'docs'))
      ? readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      : [];
    const pages = [...readdirSync(root), ...docs.map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'));
    const shown = pages.flatMap((page) => [
      ...readFileSync(path.join(root, page), 'utf8').matchAll(/PARLEY_SECRET=["']?([^\s"'$`]+)/g),
    ]);
    for (const [, value] of shown) expect(faultsOf({ PARLEY_SECRET: value })).toEqual(['PARLEY_SECRET']);
  });

  test('every purpose has its own key from the secret, the same on every start', () => {
    const { generation, newestGeneration, otherSessionSecrets, ...secrets } = deriveSecrets(SECRET);
    expect([generation, newestGeneration, otherSessionSecrets]).toEqual([0, 0, []]);
    const keys = Object.values(secrets).map(String);
    expect(new Set(keys).size).toBe(keys.length);
    expect(deriveSecrets(SECRET)).toEqual(deriveSecrets(SECRET));
    expect(deriveSecrets(SECRET).apiKeyPepper).not.toEqual(deriveSecrets(`${SECRET}x`).apiKeyPepper);
  });
});

describe('a data folder', () => {
  test('a data folder that cannot be used is a fault of DATA_DIR', () => {
    const file = path.join(dataDir, 'file');
    writeFileSync(file, '');
    expect(faultsOf({ DATA_DIR: file, PARLEY_SECRET: '' })).toEqual(['DATA_DIR']);
    expect(faultsOf({ DATA_DIR: path.join(file, 'below'), PARLEY_SECRET: '' })).toEqual(['DATA_DIR']);
    // Even root cannot create anything here; the start must not hang.
    expect(faultsOf({ DATA_DIR: '/proc/parley', PARLEY_SECRET: '' })).toEqual(['DATA_DIR']);
  });
});

describe('a command that creates nothing', () => {
  test('a command reports a folder without a database as an error, and creates nothing in it', () => {
    const env = { DATA_DIR: path.join(dataDir, 'other'), PARLEY_SECRET: '' };
    const load = () => loadConfig(env, { mustExist: true });
    expect(load()).toMatchObject({ faults: [{ variable: 'DATA_DIR', fault: expect.stringContaining('no database') }] });
    expect(readdirSync(dataDir)).toEqual([]);
    mkdirSync(path.join(dataDir, 'other', 'postgres'), { recursive: true });
    writeFileSync(path.join(dataDir, 'other', 'secret'), SECRET);
    expect(load()).toHaveProperty('config');
  });

  test('DATABASE_URL counts as a pooler if a direct address is set', () => {
    const direct = 'postgresql://u:s3cr3t-pw@db.internal:5433/sessions';
    const place = loadDatabasePlace({ DATABASE_URL, DATABASE_DIRECT_URL: direct });
    expect(place).toMatchObject({ databaseUrl: direct, poolerUrl: DATABASE_URL, fault: null });
    expect(loadDatabasePlace({ DATABASE_URL })).toMatchObject({ databaseUrl: DATABASE_URL, poolerUrl: null });
    expect(faultsOf({ DATABASE_DIRECT_URL: direct })).toEqual(['DATABASE_DIRECT_URL']);
  });

  test('a command needs no data folder if DATABASE_URL is set', () => {
    const env = { DATA_DIR: path.join(dataDir, 'other'), PARLEY_SECRET: SECRET, DATABASE_URL };
    expect(loadConfig(env, { mustExist: true })).toHaveProperty('config');
  });
});

describe('warnings', () => {
  test('an unknown variable is reported with the nearest known name', () => {
    expect(warningsOf({ PARLEY_REGOIN: 'eu' })).toEqual([expect.stringContaining('Did you mean PARLEY_REGION?')]);
    expect(warningsOf({ PARLEY_URL: 'x', PARLEY_PASSWORD: 'y', OTHER: 'z' })).toEqual([]);
  });

  test('a warning explains that sign-in on other machines needs https', () => {
    expect(warningsOf({ BASE_URL_US: 'http://parley.lan:4000' })).toHaveLength(1);
    expect(warningsOf({ BASE_URL_US: 'https://parley.example', HOST: '0.0.0.0' })).toEqual([]);
  });
});

describe('the mail server', () => {
  const from = 'noreply@example.com';

  test('the mail server is read with its sender', () => {
    expect(load({ SMTP_URL: 'smtps://u%40x:p%2Fw@mail.example', MAIL_FROM: `Acme Help <${from}>` }).mail).toEqual({
      host: 'mail.example',
      port: 465,
      security: 'tls',
      username: 'u@x',
      password: 'p/w',
      from: { name: 'Acme Help', address: from },
    });
    const mail = { port: 587, security: 'starttls', from: { name: 'Parley', address: from } };
    expect(load({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: from }).mail).toMatchObject(mail);
    const relay = load({ SMTP_URL: 'smtp://[::1]:25?security=none', MAIL_FROM: from }).mail;
    expect(relay).toMatchObject({ host: '::1', port: 25, security: 'none', username: '' });
  });

  test('the mail server needs a sender, and no fault repeats the password', () => {
    expect(faultsOf({ SMTP_URL: 'smtps://mail.example' })).toEqual(['MAIL_FROM']);
    expect(faultsOf({ MAIL_FROM: from })).toEqual(['SMTP_URL']);
    for (const url of [
      'mail.example:25',
      'http://mail.example',
      'smtp://h/path',
      'smtps://h?security=none',
      'smtp://u:%zz@h',
    ])
      expect(faultsOf({ SMTP_URL: url, MAIL_FROM: from })).toEqual(['SMTP_URL']);
    for (const sender of ['nobody', 'A <b', 'A <b@c>, D <e@f.g>', 'x\r\nBcc: y@z.example'])
      expect(faultsOf({ SMTP_URL: 'smtps://h', MAIL_FROM: sender })).toEqual(['MAIL_FROM']);
    const result = loadConfig({ DATA_DIR: dataDir, SMTP_URL: 'smtps://u:canary@h/path', MAIL_FROM: from });
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});

describe('the store of files', () => {
  test('the object store is read from one URL, with a folder and a region, and encrypted by default', () => {
    expect(load({}).blobs).toBeNull();
    const url = 's3://AKIA:a%2Fb%2B@s3.eu-central-1.amazonaws.com/files?region=eu-central-1';
    expect(load({ BLOBS_URL: url }).blobs).toEqual({
      url: 'https://s3.eu-central-1.amazonaws.com/files',
      region: 'eu-central-1',
      accessKeyId: 'AKIA',
      secretAccessKey: 'a/b+',
    });
    expect(load({ BLOBS_URL: 's3+http://k:s@127.0.0.1:9000/files/of/parley/' }).blobs).toMatchObject({
      url: 'http://127.0.0.1:9000/files/of/parley',
      region: 'us-east-1',
    });
  });

  test('any other URL of an object store is refused, and the fault does not repeat its secret', () => {
    for (const url of [
      'https://k:canary@h/b',
      's3://h/b',
      's3://k@h/b',
      's3://k:canary@h',
      's3://k:canary@h/../b c',
      's3://k:canary@h/b?x=1',
      's3://k:canary@h/b?region=a&region=b',
      's3://k:canary%zz@h/b',
    ]) {
      const result = loadConfig({ DATA_DIR: dataDir, BLOBS_URL: url });
      expect([url, faultsOf({ BLOBS_URL: url })]).toEqual([url, ['BLOBS_URL']]);
      expect(JSON.stringify(result)).not.toContain('canary');
    }
  });
});
