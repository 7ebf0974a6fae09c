import { type Key, SealError } from '../kernel/seal.ts';
import { modelCredential, openCredential } from './credentials.ts';
import type { Db } from './db.ts';
import type { ModelRow } from './models.ts';

/**
 * Returns the key of a connection. Undefined: the connection has no key. Null: the stored key belongs to other
 * settings.
 */
export async function openModelKey(db: Db, sealingKey: Key, account: ModelRow): Promise<string | undefined | null> {
  if (account.sealedKey === null) return undefined;
  try {
    return await openCredential(db, sealingKey, modelCredential(account), account.sealedKey);
  } catch (error) {
    // The key was stored for another address, or the row was changed.
    if (error instanceof SealError) return null;
    throw error;
  }
}
