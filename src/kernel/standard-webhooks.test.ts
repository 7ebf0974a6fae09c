import { describe, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook, verifyWebhook } from './standard-webhooks.ts';

/** The test vector of the specification's own libraries. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const AT = new Date(1_614_265_330_000);
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const headers = { 'webhook-id': ID, 'webhook-timestamp': '1614265330', 'webhook-signature': SIGNATURE };
const verify = (changed: Record<string, string> = {}, body = BODY, now = AT.getTime()) =>
  verifyWebhook(SECRET, { ...headers, ...changed }, Buffer.from(body), now);

describe('a Standard Webhooks signature', () => {
  test('the signature equals the test vector of the specification', () => {
    expect(signWebhook(SECRET, ID, AT, BODY)).toEqual(headers);
    expect(verify()).toBe(true);
  });

  test('a header is valid if one of several signatures matches, while secrets rotate', () => {
    expect(verify({ 'webhook-signature': `v1,AAAA v1a,xyz ${SIGNATURE}` })).toBe(true);
  });

  test('during a rotation, a webhook is signed with each secret and matches both', () => {
    const other = newWebhookSecret();
    const both = signWebhook([other, SECRET], ID, AT, BODY);
    expect(both['webhook-signature']!.split(' ')[1]).toBe(SIGNATURE);
    for (const secret of [SECRET, other])
      expect(verifyWebhook(secret, both, Buffer.from(BODY), AT.getTime())).toBe(true);
    expect(verifyWebhook(newWebhookSecret(), both, Buffer.from(BODY), AT.getTime())).toBe(false);
  });

  test.each([
    ['another body', {}, '{"test":2432232314}'],
    ['another id', { 'webhook-id': 'msg_other' }, BODY],
    ['another time', { 'webhook-timestamp': '1614265331' }, BODY],
    ['no signature', { 'webhook-signature': '' }, BODY],
    ['another version', { 'webhook-signature': SIGNATURE.replace('v1', 'v2') }, BODY],
    ['a time that is not a number', { 'webhook-timestamp': '1614265330.0' }, BODY],
  ])('a signature does not match %s', (_, changed, body) => {
    expect(verify(changed, body)).toBe(false);
  });

  test('a signature is valid for five minutes in both directions', () => {
    expect(verify({}, BODY, AT.getTime() + 299_000)).toBe(true);
    expect(verify({}, BODY, AT.getTime() + 301_000)).toBe(false);
    expect(verify({}, BODY, AT.getTime() - 301_000)).toBe(false);
  });

  test('each purpose has a separate secret', () => {
    const secret = newWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret()).not.toBe(secret);
  });
});
