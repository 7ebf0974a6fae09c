import { afterAll, describe, expect, it } from 'vitest';
import { startLyingProvider } from '../../../test/fakes/lying-provider.ts';
import { createEgress } from '../../kernel/egress.ts';
import { createOidc, identityOf } from './oidc.ts';

const ISSUER = 'https://accounts.example';
const claims = { sub: 's', email: 'a@example.com' };

describe('the identity from a provider', () => {
  it('the identity has an e-mail address, unless the provider reports it as unverified', () => {
    const verified = (email_verified: unknown) => identityOf(ISSUER, { ...claims, email_verified }).emailVerified;
    expect([undefined, true, 'true'].map(verified)).toEqual([true, true, true]);
    expect([false, 'false', null, 0, 1, 'yes'].map(verified)).toEqual(Array(6).fill(false));
  });

  it('an identity from Google includes the Workspace domain, because anyone can have an account with their own address', () => {
    expect(identityOf(ISSUER, { ...claims, hd: 'example.com' }).hostedDomain).toBe(null);
    for (const issuer of ['https://accounts.google.com', 'https://accounts.google.com/']) {
      expect(identityOf(issuer, { ...claims, hd: 'example.com' }).hostedDomain).toBe('example.com');
      expect(identityOf(issuer, claims).hostedDomain).toBe('');
    }
  });

  it('the name has a single line', () => {
    expect(identityOf(ISSUER, { ...claims, name: ' Asha\n=1+1\u0007 ' }).name).toBe('Asha =1+1');
    expect(identityOf(ISSUER, { ...claims, name: '\u0007' }).name).toBe(null);
  });

  it('the identity has a second factor if the provider reports one', () => {
    const factor = (amr: unknown) => identityOf(ISSUER, { ...claims, amr }).secondFactor;
    expect([['pwd', 'mfa'], ['otp'], ['hwk', 'pin']].map(factor)).toEqual([true, true, true]);
    expect([undefined, [], ['pwd'], ['sms'], 'mfa', [['mfa']].flat(0).slice(1)].map(factor)).toEqual(
      Array(6).fill(false),
    );
  });
});

describe('a provider that never answers', async () => {
  const provider = await startLyingProvider();
  const egress = createEgress({ allow: ['127.0.0.1'] });
  afterAll(async () => {
    await provider.stop();
    await egress.close();
  });

  it('a provider that never answers times out', async () => {
    provider.instead.set('/.well-known/openid-configuration', () => {});
    const oidc = createOidc({ egress, now: Date.now, timeoutMs: 200 });
    await expect(oidc.look(provider.issuer)).rejects.toMatchObject({ code: 'provider_failed' });
  });
});
