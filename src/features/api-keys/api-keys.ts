import type {
  CreateKeyBody,
  KeyListQuery,
  KeyRecord,
  NewKey,
  RotateKeyBody,
} from '../../../contract/dashboard/keys.ts';
import type { LeakReport } from '../../../contract/leaks.ts';
import type { Static } from 'typebox';
import type { Region } from '../../../contract/regions.ts';
import type { Access } from '../../access/access.ts';
import type { Digest } from '../../access/keys/digest.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { readApiKey } from './read-api-key.ts';
import { renameApiKey } from './rename-api-key.ts';
import { reportLeakedKeys } from './report-leaked-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import { shortenKeyNetworks } from './shorten-key-networks.ts';

/** The dependencies of the verbs in this folder. */
export type ApiKeysDeps = {
  db: Db;
  access: Pick<Access, 'commit' | 'change' | 'everywhere'>;
  region: Region;
  /** With the same pepper as in `createAccess`. */
  digest: Digest;
  clock: Clock;
  /** Null: no mail server; owners see it in the dashboard. */
  queueMail: QueueMail | null;
  /** For links in mails. */
  baseUrl: string;
};

export type ListFilter = Omit<Static<typeof KeyListQuery>, 'limit' | 'cursor'>;

/** All verbs on a key. `value` is only in the answers of create and rotate. */
export type ApiKeys = {
  create(orgId: string, body: CreateKeyBody, actor: Actor): Promise<NewKey>;
  list(orgId: string, filter: ListFilter, page: PageRequest): Promise<PageOf<KeyRecord>>;
  read(orgId: string, id: string): Promise<KeyRecord>;
  rename(orgId: string, id: string, label: string, actor: Actor): Promise<KeyRecord>;
  shortenNetworks(orgId: string, id: string, networks: readonly string[], actor: Actor): Promise<KeyRecord>;
  rotate(orgId: string, id: string, overlap: RotateKeyBody['overlap'], actor: Actor): Promise<NewKey>;
  revoke(orgId: string, id: string, actor: Actor): Promise<KeyRecord>;
  /** From strangers: revokes the values that are our keys; returns nothing. */
  reportLeaked(report: LeakReport, from: Pick<Actor, 'address' | 'requestId'> & { signed: boolean }): Promise<void>;
};

export const createApiKeys = (deps: ApiKeysDeps): ApiKeys => ({
  create: (orgId, body, actor) => createApiKey(deps, orgId, body, actor),
  list: (orgId, filter, page) => listApiKeys(deps, orgId, filter, page),
  read: (orgId, id) => readApiKey(deps, orgId, id),
  rename: (orgId, id, label, actor) => renameApiKey(deps, orgId, id, label, actor),
  shortenNetworks: (orgId, id, networks, actor) => shortenKeyNetworks(deps, orgId, id, networks, actor),
  rotate: (orgId, id, overlap, actor) => rotateApiKey(deps, orgId, id, overlap, actor),
  revoke: (orgId, id, actor) => revokeApiKey(deps, orgId, id, actor),
  reportLeaked: (report, from) => reportLeakedKeys(deps, report, from),
});
