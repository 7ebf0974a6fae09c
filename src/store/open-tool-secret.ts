import type { SetToolCredentialsBody, ToolCredentialsLook } from '../../contract/dashboard/tools.ts';
import type { Key } from '../kernel/seal.ts';
import { openCredential, sealCredential, toolCredential } from './credentials.ts';
import type { Queryable } from './db.ts';
import type { ToolSecretRow } from './tool-secrets.ts';

/** The opened secrets of a row. `previous` signs in addition to `secret` until the row's `previousUntil`. */
export type ToolSecrets = { secret: string; previous?: string; credentials?: SetToolCredentialsBody };

type Place = Pick<ToolSecretRow, 'orgId' | 'id' | 'agentId' | 'tool' | 'origin'>;

export const sealToolSecrets = (tx: Queryable, key: Key, place: Place, secrets: ToolSecrets): Promise<string> =>
  sealCredential(tx, key, toolCredential(place), JSON.stringify(secrets));

/** Throws SealError if the row was changed, for example if an attacker wrote another origin into it. */
export async function openToolSecrets(
  db: Queryable,
  key: Key,
  row: Place & Pick<ToolSecretRow, 'sealed'>,
): Promise<ToolSecrets> {
  return JSON.parse(await openCredential(db, key, toolCredential(row), row.sealed)) as ToolSecrets;
}

/** The parts of credentials that members may see. */
export const lookOf = ({ bearer, basic, headers = [] }: SetToolCredentialsBody): ToolCredentialsLook => ({
  authorization: bearer !== undefined ? 'bearer' : basic !== undefined ? 'basic' : null,
  headers: headers.map(({ name }) => name.toLowerCase()),
});
