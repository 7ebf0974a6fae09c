import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readScannerKeys, readSignature } from './scanner-signature.ts';

/** The example that GitHub publishes for implementers of such an endpoint. */
const GITHUB = {
  name: 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
  key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd
AjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==
-----END PUBLIC KEY-----`,
  signature: 'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
  body: '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]',
};
const listed = (name: string, key: string) =>
  JSON.stringify({ public_keys: [{ key_identifier: name, key, is_current: true }] });
const keys = readScannerKeys(listed(GITHUB.name, GITHUB.key))!;
const headers = { 'github-public-key-identifier': GITHUB.name, 'github-public-key-signature': GITHUB.signature };

describe('the signature of a report', () => {
  it('the signature of a report has the format of GitHub, over the raw bytes', () => {
    expect(readSignature(keys, headers, Buffer.from(GITHUB.body))).toBe('signed');
    expect(readSignature(keys, headers, Buffer.from(`${GITHUB.body}\n`))).toBe('forged');
  });

  it('a report counts as forged if the named key did not make its signature', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const body = Buffer.from(GITHUB.body);
    for (const signature of [
      sign('sha256', body, other.privateKey).toString('base64'),
      'not base64 at all',
      '',
      undefined,
    ])
      expect(readSignature(keys, { ...headers, 'github-public-key-signature': signature }, body)).toBe('forged');
  });

  it('a signature by an unknown key proves nothing', () => {
    const body = Buffer.from(GITHUB.body);
    expect(readSignature(keys, {}, body)).toBe('unsigned');
    expect(readSignature(keys, { ...headers, 'github-public-key-identifier': 'other' }, body)).toBe('unsigned');
    expect(readSignature(new Map(), headers, body)).toBe('unsigned');
  });
});

describe('the keys of scanners', () => {
  it('keys can be read in their published format', () => {
    expect([...keys.keys()]).toEqual([GITHUB.name]);
  });

  it.each([
    ['text', 'GitHub'],
    ['another shape', '{"keys":[]}'],
    ['none', '{"public_keys":[]}'],
    ['no key', listed('a', 'nothing')],
    [
      'RSA',
      listed(
        'a',
        generateKeyPairSync('rsa', { modulusLength: 2048 })
          .publicKey.export({ type: 'spki', format: 'pem' })
          .toString(),
      ),
    ],
    [
      'another curve',
      listed(
        'a',
        generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      ),
    ],
  ])('keys are refused: %s', (_, json) => {
    expect(readScannerKeys(json)).toBeNull();
  });
});
