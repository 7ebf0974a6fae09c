import { chainOf, type ChainKey } from '../kernel/key-chain.ts';
import { deriveKey, type Key, withOthers } from '../kernel/seal.ts';

/**
 * The program's keys, each derived from PARLEY_SECRET for one purpose (HKDF-SHA-256). No key reveals anything about
 * another key.
 */
export type Secrets = {
  /**
   * How often the secret was rotated, as stored in the database when the process started. The second number belongs to
   * the newest secret of the process.
   */
  generation: number;
  newestGeneration: number;
  /** HMAC key of API key digests. */
  apiKeyPepper: ChainKey;
  /** Signs list cursors. */
  cursorKey: Key;
  /** Seals mails in the outbox. */
  mailKey: Key;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** The session secret for better-auth, which expects text. */
  sessionSecret: string;
  /** Cookies that are signed with these are still accepted. */
  otherSessionSecrets: readonly string[];
  /** HMAC key of setup links. */
  setupKey: Key;
  /** Seals the state that a browser stores while a person signs in at the provider of an organization. */
  signInKey: Key;
  /** HMAC key of the identifiers under which opt-outs of erased people are stored. */
  suppressionKey: ChainKey;
  /** Signs the reply tokens of turns that the customer's own code answers. */
  turnKey: Key;
  /** Signs the tokens of web chat visitors. */
  visitorKey: Key;
  /** Seals client tokens. */
  clientTokenKey: Key;
};

/** Every PARLEY_SECRET that this installation has had, as far as this process has them (app/load-secrets.ts). */
export type SecretHistory = {
  /** The secrets, oldest first. */
  chain: readonly string[];
  /** The generation of the database's current secret, which seals and signs new data. */
  generation: number;
  /** Other secrets whose signatures (sessions, visitors, cursors, links) are still accepted. */
  accepted: readonly string[];
};

export const deriveSecrets = (secret: string): Secrets => secretsOf({ chain: [secret], generation: 0, accepted: [] });

export function secretsOf({ chain, generation, accepted }: SecretHistory): Secrets {
  const current = chain[generation]!;
  const newest = chain.length - 1;
  const chained = (purpose: string) =>
    chainOf(
      chain.map((secret) => deriveKey(secret, purpose)),
      newest === 0 ? [0] : generation === newest ? [newest, newest - 1] : [generation, newest],
    );
  const signing = (purpose: string) =>
    withOthers(
      deriveKey(current, purpose),
      accepted.map((secret) => deriveKey(secret, purpose)),
    );
  // Stored data opens with every known secret, even if its signatures are no longer accepted.
  const sealing = (purpose: string) =>
    withOthers(
      deriveKey(current, purpose),
      chain.filter((secret) => secret !== current).map((secret) => deriveKey(secret, purpose)),
    );
  return {
    generation,
    newestGeneration: newest,
    apiKeyPepper: chained('api key pepper'),
    cursorKey: signing('list cursor'),
    mailKey: sealing('mail'),
    sealingKey: sealing('sealing'),
    sessionSecret: deriveKey(current, 'session').toString('base64url'),
    otherSessionSecrets: accepted.map((secret) => deriveKey(secret, 'session').toString('base64url')),
    setupKey: signing('setup link'),
    signInKey: signing('sign-in state'),
    suppressionKey: chained('suppression'),
    turnKey: signing('turn reply'),
    visitorKey: signing('visitor token'),
    clientTokenKey: signing('client token'),
  };
}

/** Seals the previous values of PARLEY_SECRET. */
export const pastSecretKey = (secret: string): Key => deriveKey(secret, 'past secrets');
