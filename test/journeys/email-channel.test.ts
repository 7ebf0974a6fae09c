import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '../../src/kernel/standard-webhooks.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import { type FakeSmtp, startSmtp } from '../fakes/smtp.ts';

const secret = newWebhookSecret();
let parley: TestApp;
let smtp: FakeSmtp;
let channelId: string;
let path: string;
let key: string;

beforeAll(async () => {
  smtp = await startSmtp();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId, { definition: { opening: { default: 'Hello' } } });
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'email',
    settings: {
      host: '127.0.0.1',
      port: smtp.port,
      security: 'none',
      username: smtp.user,
      from: 'support@example.com',
    },
    secrets: { password: smtp.password, secret },
    sealingKey: parley.secrets.sealingKey,
  });
  key = (await parley.key(orgId, { permissions: ['channels'] })).value;
  path = `/api/channels/${agentId}/${channelId}/messages`;
});
afterAll(async () => {
  await parley.stop();
  await smtp.stop();
});

const send = (text: string) =>
  parley.call('POST', path, {
    key,
    body: {
      to: { end_user: { email: 'asha@example.qa' } },
      content: { type: 'text', text },
      metadata: { subject: 'Your order' },
    },
  });
const status = async (id: string) => (await parley.call('GET', `${path}/${id}`, { key })).body.status;
const post = (value: unknown) => {
  const body = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', ...signWebhook(secret, 'evt_1', new Date(), body) };
  return fetch(`${parley.url}/inbound/email/${channelId}`, { method: 'POST', headers, body });
};

test('the channel sends an e-mail, receives its bounce, and answers a reply in the same conversation', async () => {
  const { body } = await send('It shipped');
  await expect.poll(() => status(body.id)).toBe('sent');
  expect(smtp.mails[0]).toMatchObject({ to: 'asha@example.qa', raw: expect.stringContaining('Subject: Your order') });
  const record = await parley.call('GET', `${path}/${body.id}`, { key });
  const messageId = record.body.provider_message_id;
  await post({
    type: 'message',
    message_id: '<1@example.qa>',
    from: 'asha@example.qa',
    subject: 'RE: Your order',
    text: 'Thank you',
  });
  await expect.poll(() => smtp.mails.length).toBe(2);
  expect(smtp.mails[1]!.raw).toContain(`<${body.conversation_id}@example.com>`);
  // The answer belongs to the thread of the original, also in the person's mail program.
  expect(smtp.mails[1]!.raw).toContain('In-Reply-To: <1@example.qa>');
  expect(smtp.mails[1]!.raw).toMatch(/^Subject: Re: Your order\r?$/m);
  await post({ type: 'receipt', message_id: messageId, status: 'failed', detail: 'No such mailbox.' });
  expect(await status(body.id)).toBe('failed');
});

test('an e-mail whose answer was lost after it was accepted is not sent twice', async () => {
  smtp.fail('reset_after_delivering');
  const before = smtp.mails.length;
  const { body } = await send('Once');
  await expect.poll(() => status(body.id)).toBe('undelivered');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(smtp.mails).toHaveLength(before + 1);
});

test('a report about a message whose id or reason cannot be stored is accepted, so that it is not repeated forever', async () => {
  const report = { type: 'receipt', message_id: '<a\0b@example.com>', status: 'failed', detail: 'No\0 such mailbox' };
  expect((await post(report)).status).toBe(200);
});
