import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, outbound } from '../../test/channel-tools.ts';
import type { Failure, FakeProvider } from '../../test/fakes/provider.ts';
import { startReceiver } from '../../test/fakes/receiver.ts';
import { startSlack } from '../../test/fakes/slack.ts';
import { startSmtp } from '../../test/fakes/smtp.ts';
import { startTelegram } from '../../test/fakes/telegram.ts';
import { startTwilio } from '../../test/fakes/twilio.ts';
import { startWhatsApp } from '../../test/fakes/whatsapp.ts';
import { DELIVERY_ERROR_CODES } from '../../contract/channels.ts';
import { newWebhookSecret } from '../kernel/standard-webhooks.ts';
import { WITHDRAWN } from '../store/deliveries/claim.ts';
import type { ChannelAccount, FailureFacts } from './channel.ts';
import { channelKinds } from './kinds.ts';

/**
 * Every way in which a provider fails, for every kind that calls one, over a real port. This test checks what a failure
 * means; what follows from it (src/worker/deliveries/deliver-message.ts) is the same for all kinds.
 */
type Way = 'permanent' | 'too many' | 'down' | 'unauthorized' | 'timeout after delivering' | 'reset after delivering';
type Other = {
  account: Pick<ChannelAccount, 'settings' | 'secrets'>;
  person: string;
  fail(way: Way): void;
  receivedCalls(): number;
  stop(): Promise<void>;
};

const AFTER: Partial<Record<Way, 'reset_after_delivering' | 'timeout_after_delivering'>> = {
  'reset after delivering': 'reset_after_delivering',
  'timeout after delivering': 'timeout_after_delivering',
};

/** In the provider's own format: some say with a status what others say with a code. */
const provider =
  (start: () => Promise<FakeProvider>, failures: Partial<Record<Way, Failure>>) => async (): Promise<Other> => {
    const fake = await start();
    const usual: Partial<Record<Way, Failure>> = {
      permanent: { status: 400, text: 'Bad Request' },
      'too many': { status: 429, retryAfter: 7 },
      down: { status: 503 },
    };
    return {
      account: { settings: fake.settings, secrets: fake.secrets },
      person: fake.person,
      fail: (way) => (way === 'unauthorized' ? fake.withdraw() : fake.fail(AFTER[way] ?? failures[way] ?? usual[way]!)),
      receivedCalls: () => fake.delivered.length,
      stop: () => fake.stop(),
    };
  };

async function ownEndpoint(): Promise<Other> {
  const receiver = await startReceiver();
  let received = 0;
  const answers = {
    permanent: { status: 422 },
    'too many': { status: 429, headers: { 'retry-after': '7' } },
    down: { status: 503 },
    unauthorized: { status: 401 },
    'timeout after delivering': 'hang',
    'reset after delivering': 'reset',
  } as const;
  return {
    account: { settings: { url: receiver.url }, secrets: { secret: newWebhookSecret() } },
    person: 'crm-42',
    fail: (way) => {
      receiver.answer = () => {
        if (typeof answers[way] === 'string') received++;
        receiver.answer = () => (received++, {});
        return answers[way];
      };
    },
    receivedCalls: () => received,
    stop: () => receiver.stop(),
  };
}

async function mailServer(): Promise<Other> {
  const smtp = await startSmtp();
  const refusals = { permanent: 554, 'too many': 452, down: 451 };
  return {
    account: {
      settings: { host: '127.0.0.1', port: smtp.port, security: 'none', username: smtp.user, from: smtp.user },
      secrets: { password: smtp.password },
    },
    person: 'asha@example.qa',
    fail: (way) => {
      if (way === 'unauthorized') return smtp.withdraw();
      smtp.fail(AFTER[way] ?? { at: 'data', code: refusals[way as keyof typeof refusals] });
    },
    receivedCalls: () => smtp.mails.length,
    stop: () => smtp.stop(),
  };
}

const OTHERS: [kind: string, start: () => Promise<Other>][] = [
  ['webhook', ownEndpoint],
  ['telegram', provider(startTelegram, {})],
  [
    'whatsapp',
    provider(startWhatsApp, {
      permanent: { status: 400, code: 131_051 },
      'too many': { status: 429, code: 130_429, retryAfter: 7 },
    }),
  ],
  [
    'sms',
    provider(startTwilio, {
      permanent: { status: 400, code: 21_602 },
      'too many': { status: 429, code: 20_429, retryAfter: 7 },
    }),
  ],
  [
    'slack',
    provider(startSlack, {
      permanent: { status: 200, code: 'msg_too_long' },
      down: { status: 200, code: 'fatal_error' },
    }),
  ],
  ['email', mailServer],
];

const WAYS: [way: Way, code: string, facts: FailureFacts, taken: 0 | 1][] = [
  ['permanent', 'provider_refused', {}, 0],
  ['too many', 'provider_rate_limited', { retryable: true, retryAfterMs: 7_000 }, 0],
  ['down', 'provider_unavailable', { retryable: true }, 0],
  ['timeout after delivering', 'provider_timeout', { retryable: true, mayHaveSent: true }, 1],
  ['reset after delivering', 'provider_unreachable', { retryable: true, mayHaveSent: true }, 1],
  // Last, because the credentials stay revoked.
  ['unauthorized', 'channel_unauthorized', { channelBroken: true }, 0],
];
/**
 * A mail server has no status for "too often" and no Retry-After, and a server that never answers is a lost connection.
 */
const MAIL: Partial<Record<Way, [code: string, facts: FailureFacts]>> = {
  'too many': ['provider_unavailable', { retryable: true }],
  'timeout after delivering': ['provider_unreachable', { retryable: true, mayHaveSent: true }],
};

const tools = channelTools();
/** Long enough for a provider on a busy machine, and for one that takes the message and never answers. */
const impatient = channelTools(800);
afterAll(() => Promise.all([tools.close(), impatient.close()]));

describe.each(OTHERS)('%s', (name, start) => {
  const kind = channelKinds.get(name)!;
  let other: Other;
  beforeAll(async () => {
    other = await start();
  });
  afterAll(() => other.stop());

  const send = (way: Way) =>
    kind.send!(
      outbound({ type: 'text', text: 'hello' }, { address: other.person }),
      { id: 'channel_1', ...other.account },
      way === 'timeout after delivering' ? { ...impatient, signal: AbortSignal.timeout(1_000) } : tools,
    );

  test.each(WAYS)('the failure "%s" is reported as %s', async (way, code, facts, attempts) => {
    const [ourCode, ourFacts] = (name === 'email' && MAIL[way]) || [code, facts];
    const before = other.receivedCalls();
    other.fail(way);
    const failure = (await send(way).catch((error: unknown) => error)) as { code: string; facts: FailureFacts };
    expect(DELIVERY_ERROR_CODES).toContain(failure.code);
    const { retryable = false, channelBroken = false, mayHaveSent = false, retryAfterMs = null } = failure.facts;
    expect({ code: failure.code, retryable, channelBroken, mayHaveSent, retryAfterMs }).toEqual({
      code: ourCode,
      retryable: false,
      channelBroken: false,
      mayHaveSent: false,
      retryAfterMs: null,
      ...ourFacts,
    });
    expect(other.receivedCalls() - before).toBe(attempts);
  });
});

test('every code in use is in the list and has an explanation', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const files = ['channels', 'worker'].flatMap((room) =>
    readdirSync(path.join(folder, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(path.join(folder, room, name), 'utf8')),
  );
  const use = /(?:new ChannelFailure\(\s*|because\(\s*'\w+',\s*)'(\w+)'/g;
  const used = files.flatMap((text) => [...text.matchAll(use)].map(([, code]) => code!)).concat(Object.keys(WITHDRAWN));
  expect(used.length).toBeGreaterThan(15);
  expect(DELIVERY_ERROR_CODES).toEqual(expect.arrayContaining(used));
  const page = readFileSync(path.join(folder, '../docs/channel-kinds.md'), 'utf8');
  for (const code of DELIVERY_ERROR_CODES) expect(page).toContain(`\`${code}\``);
});
