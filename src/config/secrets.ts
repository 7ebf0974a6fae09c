import { deriveKey, type Key } from '../kernel/seal.ts';

/** The keys that the program uses, each derived from PARLEY_SECRET for one purpose (HKDF-SHA-256): none tells anything about another. */
export type Secrets = {
  /** HMAC key of API key digests. */
  apiKeyPepper: Key;
  /** Signs list cursors. */
  cursorKey: Key;
  /** Seals mails that wait to be sent. */
  mailKey: Key;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** For better-auth, which wants text. */
  sessionSecret: string;
  /** HMAC key of setup links. */
  setupKey: Key;
  /** Seals what a browser keeps while it is at the provider of an organization. */
  signInKey: Key;
  /** HMAC key of the identifiers that opt-outs of erased people are kept under. */
  suppressionKey: Key;
  /** Signs the tokens of web chat visitors. */
  visitorKey: Key;
};

export function deriveSecrets(secret: string): Secrets {
  return {
    apiKeyPepper: deriveKey(secret, 'api key pepper'),
    cursorKey: deriveKey(secret, 'list cursor'),
    mailKey: deriveKey(secret, 'mail'),
    sealingKey: deriveKey(secret, 'sealing'),
    sessionSecret: deriveKey(secret, 'session').toString('base64url'),
    setupKey: deriveKey(secret, 'setup link'),
    signInKey: deriveKey(secret, 'sign-in state'),
    suppressionKey: deriveKey(secret, 'suppression'),
    visitorKey: deriveKey(secret, 'visitor token'),
  };
}
