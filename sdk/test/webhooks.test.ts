import { describe, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook, verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { type WebhookEvent, webhooks, WebhookVerificationError } from '../src/parley.ts';

const secret = newWebhookSecret();
const event = { id: 'evt_1', type: 'message.sent', data: { text: 'سلام' } };
const body = JSON.stringify(event);
const signed = (by: string | string[] = secret, at = new Date()) => signWebhook(by, 'msg_1', at, body);

describe('webhooks.verify', () => {
  test('verify returns the signed event for every type of headers and body', async () => {
    const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    for (const headers of [signed(), new Headers(signed()), upper])
      for (const given of [body, Buffer.from(body), new TextEncoder().encode(body)])
        expect(await webhooks.verify(given, headers, secret)).toEqual(event);
  });

  test('verify accepts either of two secrets during a rotation', async () => {
    const next = newWebhookSecret();
    expect(await webhooks.verify(body, signed([secret, next]), next)).toEqual(event);
    expect(await webhooks.verify(body, signed(next), [secret, next])).toEqual(event);
  });

  test.for([
    ['another secret', () => ({ by: newWebhookSecret() })],
    ['a changed body', () => ({ body: body.replace('sent', 'read') })],
    ['an old timestamp', () => ({ at: new Date(Date.now() - 301_000) })],
    ['a timestamp of the future', () => ({ at: new Date(Date.now() + 301_000) })],
    ['a missing header', () => ({ headers: { 'webhook-signature': '' } })],
    ['another version of signatures', () => ({ headers: { 'webhook-signature': 'v2,AAAA' } })],
    ['a signature that is no base64', () => ({ headers: { 'webhook-signature': 'v1,%%%' } })],
    ['another id', () => ({ headers: { 'webhook-id': 'msg_2' } })],
  ] as [string, () => { by?: string; body?: string; at?: Date; headers?: object }][])(
    'verify refuses %s',
    async ([, make]) => {
      const given = make();
      const headers = { ...signed(given.by, given.at), ...given.headers };
      await expect(webhooks.verify(given.body ?? body, headers, secret)).rejects.toThrow(WebhookVerificationError);
    },
  );

  test.for([
    ['no secret', () => webhooks.verify(body, signed(), undefined), /secret is missing/],
    ['an empty secret', () => webhooks.verify(body, signed(), ''), /secret is missing/],
    ['a secret that is no base64', () => webhooks.verify(body, signed(), 'whsec_%'), /whsec_ and base64/],
    ['a parsed body', () => webhooks.verify(event as never, signed(), secret), /raw body/],
    ['no body', () => webhooks.verify(undefined as never, signed(), secret), /raw body/],
    ['no headers', () => webhooks.verify(body, undefined as never, secret), /headers of the request/],
  ] as [string, () => Promise<unknown>, RegExp][])(
    'verify reports %s as a mistake of the caller',
    async ([, verify, words]) => {
      const error = await verify().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(words);
    },
  );

  test('the type of an event determines the type of its data', async () => {
    const parsed: WebhookEvent = await webhooks.verify(body, signed(), secret);
    if (parsed.type !== 'message.sent') throw new Error(parsed.type);
    const status: 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'undelivered' | 'suppressed' | null =
      parsed.data.status;
    expect(status).toBeUndefined();
  });
});

describe('webhooks.sign', () => {
  test.for([body, Buffer.from(body), new TextEncoder().encode(body).buffer])(
    'sign creates signatures that Parley accepts',
    async (sent) => {
      const headers = await webhooks.sign(sent, secret, { id: 'msg_7' });
      expect(headers['webhook-id']).toBe('msg_7');
      expect(verifyWebhook(secret, headers, Buffer.from(body), Date.now())).toBe(true);
      expect(await webhooks.verify(sent, headers, secret)).toEqual(event);
    },
  );

  test('the library creates the same signature as Parley', async () => {
    const now = new Date();
    expect(await webhooks.sign(body, secret, { id: 'msg_1', now: now.getTime() })).toEqual(signed(secret, now));
  });
});
