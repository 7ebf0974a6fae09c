import { channelAddresses } from '../../contract/channel-kinds.ts';
import type { Fault } from '../../contract/problems.ts';
import { type Key, open, placeOf, seal, versionOf } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { type ModelRow, openDataKey } from './models.ts';
import type { ToolSecretRow } from './tool-secrets.ts';

/**
 * Only this file seals and opens secrets in rows. A credential belongs to its place and to the addresses for which the
 * user entered it. Place and address are associated data. The credential does not open for another address, even if an
 * attacker changes the address in the row. Texts of the older format `v1` are bound only to their place, until they are
 * saved again or the secret is rotated.
 */
export type Credential = {
  orgId: string;
  table: string;
  column: string;
  row: string;
  /** The addresses to which the credential may be sent. The value is empty if the secret is never sent. */
  addresses: readonly string[];
};

type Row = Record<string, unknown> & { org_id: string };
type SealedColumn = {
  table: string;
  column: string;
  /** The column that identifies the row within its organization. */
  id: string;
  /** Reads the addresses from the row's columns, by the names of the columns in the database. */
  addresses(row: Row): readonly string[];
};

/**
 * Every column that is sealed with the data key of an organization. A column named `sealed…` that neither list contains
 * fails the test next to this file.
 */
export const SEALED_COLUMNS = {
  channel: {
    table: 'channel',
    column: 'sealed',
    id: 'id',
    addresses: ({ kind, settings }) => channelAddresses(String(kind), settings as Record<string, unknown>),
  },
  webhook: { table: 'webhook_endpoint', column: 'sealed', id: 'id', addresses: ({ url }) => [String(url)] },
  tool: {
    table: 'tool_secret',
    column: 'sealed',
    id: 'id',
    addresses: ({ agent_id: agentId, tool, origin }) => [String(agentId), String(tool), String(origin)],
  },
  model: {
    table: 'model_provider',
    column: 'sealed_key',
    id: 'provider',
    addresses: ({ base_url: baseUrl }) => [typeof baseUrl === 'string' ? baseUrl : ''],
  },
  signIn: { table: 'sign_in_provider', column: 'sealed', id: 'org_id', addresses: ({ issuer }) => [String(issuer)] },
} as const satisfies Record<string, SealedColumn>;

type InstallationColumn = { table: string; column: string; id: string; key: 'mailKey' | 'sealingKey' };

/**
 * Columns that are sealed with a key of the installation, because mails and people belong to no organization.
 * `past_secret.sealed` is an exception: the switch of a rotation writes it (installation/past-secrets.ts).
 */
export const SEALED_BY_INSTALLATION = [
  { table: 'mail', column: 'sealed', id: 'id', key: 'mailKey' },
  { table: 'second_factor', column: 'sealed', id: 'user_id', key: 'sealingKey' },
] as const satisfies readonly InstallationColumn[];

/** The credential in a sealed column of a row. */
export function credentialIn(name: keyof typeof SEALED_COLUMNS, row: Row): Credential {
  const { table, column, id, addresses }: SealedColumn = SEALED_COLUMNS[name];
  return { orgId: row.org_id, table, column, row: String(row[id]), addresses: addresses(row) };
}

export const channelCredential = (channel: {
  orgId: string;
  id: string;
  kind: string;
  settings: Record<string, unknown>;
}): Credential => {
  const { orgId, id, kind, settings } = channel;
  return credentialIn('channel', { org_id: orgId, id, kind, settings });
};

export const webhookCredential = (orgId: string, id: string, url: string): Credential =>
  credentialIn('webhook', { org_id: orgId, id, url });

type ToolPlace = Pick<ToolSecretRow, 'orgId' | 'id' | 'agentId' | 'tool' | 'origin'>;
export const toolCredential = ({ orgId, id, agentId, tool, origin }: ToolPlace): Credential =>
  credentialIn('tool', { org_id: orgId, id, agent_id: agentId, tool, origin });

export const modelCredential = ({
  orgId,
  provider,
  baseUrl,
}: Pick<ModelRow, 'orgId' | 'provider' | 'baseUrl'>): Credential =>
  credentialIn('model', { org_id: orgId, provider, base_url: baseUrl });

export const signInCredential = (orgId: string, issuer: string): Credential =>
  credentialIn('signIn', { org_id: orgId, issuer });

export async function sealCredential(
  tx: Queryable,
  sealingKey: Key,
  credential: Credential,
  text: string,
): Promise<string> {
  return seal(
    await openDataKey(tx, { orgId: credential.orgId, wrapping: sealingKey, to: 'seal' }),
    text,
    boundTo(credential),
    'v2',
  );
}

export async function openCredential(
  db: Queryable,
  sealingKey: Key,
  credential: Credential,
  sealed: string,
): Promise<string> {
  const key = await openDataKey(db, { orgId: credential.orgId, wrapping: sealingKey, to: 'open' });
  return open(key, sealed, versionOf(sealed) === 'v1' ? placeIn(credential) : boundTo(credential));
}

/**
 * True if both credentials have the same addresses, so that the secret of one credential may be sent to the address of
 * the other.
 */
export const sameAddresses = (one: Credential, other: Credential): boolean =>
  JSON.stringify(one.addresses) === JSON.stringify(other.addresses);

/** The fault when the address changes and the secret is not entered again. */
export const secretRequired = (pointer: string): Fault => ({
  pointer,
  code: 'secret_required',
  detail: 'The stored secret belongs to another address, so it is not sent to this address. Give the secret again.',
});

const placeIn = ({ orgId: organization, table, column, row }: Credential): string[] =>
  placeOf({ table, column, row, organization });

const boundTo = (credential: Credential): string[] => [...placeIn(credential), ...credential.addresses];
