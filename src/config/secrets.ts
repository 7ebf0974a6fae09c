import { chainOf, type ChainKey } from '../kernel/key-chain.ts';
import { deriveKey, type Key, withOthers } from '../kernel/seal.ts';

/**
 * The program's keys, each derived from PARLEY_SECRET for one purpose (HKDF-SHA-256). No key reveals anything about
 * another key.
 */
export type Secrets = {
  /**
   * The number of rotations of the secret that the database had when the process started. The second number belongs to
   * the newest secret of the process.
   */
  generation: number;
  newestGeneration: number;
  /** The HMAC key of API key digests. */
  apiKeyPepper: ChainKey;
  /** The key that signs list cursors. */
  cursorKey: Key;
  /** The key that seals mails in the outbox. */
  mailKey: Key;
  /** The key that wraps the organizations' data keys. */
  sealingKey: Key;
  /** The secret of better-auth for sessions, which must be text. */
  sessionSecret: string;
  /** Cookies that were signed with the other session secrets are still accepted. */
  otherSessionSecrets: readonly string[];
  /** The HMAC key of setup links. */
  setupKey: Key;
  /** The key that seals the state which a browser stores while a person signs in at the provider of an organization. */
  signInKey: Key;
  /** The HMAC key of the identifiers under which opt-outs of erased people are stored. */
  suppressionKey: ChainKey;
  /** The key that signs the reply tokens of turns for the customer's own code. */
  turnKey: Key;
  /** The key that signs the tokens of web chat visitors. */
  visitorKey: Key;
  /** The key that seals client tokens. */
  clientTokenKey: Key;
};

/** Every PARLEY_SECRET of this installation that this process knows (app/load-secrets.ts). */
export type SecretHistory = {
  /** The known secrets, oldest first. */
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
  // Stored data opens with every known secret, even with secrets whose signatures are no longer accepted.
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

/** The key that seals the previous values of PARLEY_SECRET. */
export const pastSecretKey = (secret: string): Key => deriveKey(secret, 'past secrets');
