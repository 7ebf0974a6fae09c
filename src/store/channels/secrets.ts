import type { Key } from '../../kernel/seal.ts';
import { channelCredential, type Credential, openCredential } from '../credentials.ts';
import type { Queryable } from '../db.ts';

/** How many channels or endpoints have their unsealed secrets cached on one node. */
const MAX_OPEN = 1_000;

/** The owner of the secrets, and the addresses to which they may be sent. */
export type SealedChannel = {
  orgId: string;
  id: string;
  kind: string;
  settings: Record<string, unknown>;
  sealed: string | null;
};
export type OpenSecrets = (channel: SealedChannel) => Promise<Record<string, string>>;

/** Returns a channel's unsealed secrets. Each node unseals the secrets once after each change. */
export function createSecretsOpener(db: Queryable, sealingKey: Key): OpenSecrets {
  const openSealed = createSealedOpener(db, sealingKey);
  return (channel) =>
    channel.sealed === null ? Promise.resolve({}) : openSealed(channelCredential(channel), channel.sealed);
}

export type OpenSealed = (credential: Credential, sealed: string) => Promise<Record<string, string>>;

/** Returns the unsealed secrets of any sealed column. */
export function createSealedOpener(db: Queryable, sealingKey: Key): OpenSealed {
  const opened = new Map<string, { sealed: string; secrets: Promise<Record<string, string>> }>();

  return function openSealed(credential, sealed) {
    // The addresses are part of the cache key, so an edited row is a new entry.
    const name = JSON.stringify(credential);
    const known = opened.get(name);
    if (known?.sealed === sealed) return known.secrets;
    const secrets = unseal(credential, sealed);
    opened.set(name, { sealed, secrets });
    secrets.catch(() => opened.delete(name));
    if (opened.size > MAX_OPEN) opened.delete(opened.keys().next().value!);
    return secrets;
  };

  async function unseal(credential: Credential, sealed: string): Promise<Record<string, string>> {
    return JSON.parse(await openCredential(db, sealingKey, credential, sealed)) as Record<string, string>;
  }
}
