import { deriveKey, type Key } from '../kernel/seal.ts';

/**
 * The program's keys, each derived from PARLEY_SECRET for one purpose (HKDF-SHA-256). A key reveals nothing about
 * another.
 */
export type Secrets = {
  /** HMAC key of API key digests. */
  apiKeyPepper: Key;
  /** Signs list cursors. */
  cursorKey: Key;
  /** Seals mails in the outbox. */
  mailKey: Key;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** For better-auth, which expects text. */
  sessionSecret: string;
  /** HMAC key of setup links. */
  setupKey: Key;
  /** Seals the state that a browser keeps while a person signs in at the provider of an organization. */
  signInKey: Key;
  /** HMAC key of the identifiers under which opt-outs of erased people are kept. */
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
