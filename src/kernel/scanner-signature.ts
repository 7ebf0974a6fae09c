import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/**
 * The signature of a scanner's report, which is ECDSA on P-256 with SHA-256 over the raw body, in base64, with the name
 * of the key (GitHub's secret scanning partner program). The keys come from the configuration in the format that GitHub
 * publishes.
 */
export type ScannerKeys = ReadonlyMap<string, KeyObject>;

/** With `forged`, the report names a known key, but this key did not sign the report. An unknown key proves nothing. */
export type Signed = 'signed' | 'unsigned' | 'forged';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function readSignature(keys: ScannerKeys, headers: Headers, body: Buffer): Signed {
  const name = headers['github-public-key-identifier'];
  const signature = headers['github-public-key-signature'];
  const key = typeof name === 'string' ? keys.get(name) : undefined;
  if (key === undefined) return 'unsigned';
  if (typeof signature !== 'string') return 'forged';
  return verify('sha256', body, key, Buffer.from(signature, 'base64')) ? 'signed' : 'forged';
}

/**
 * Parses `{"public_keys":[{"key_identifier":"…","key":"-----BEGIN PUBLIC KEY-----…"}]}`. Null if the text has another
 * format.
 */
export function readScannerKeys(json: string): ScannerKeys | null {
  try {
    const { public_keys: listed } = JSON.parse(json) as { public_keys: { key_identifier: string; key: string }[] };
    const keys = listed.map(({ key_identifier: name, key }) => [name, createPublicKey(key)] as const);
    const areOurs = keys.every(
      ([name, key]) => typeof name === 'string' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    );
    return areOurs && keys.length > 0 ? new Map(keys) : null;
  } catch {
    return null;
  }
}
