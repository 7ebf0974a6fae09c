import type { CreateEndUser, SetConsent, UpdateEndUser, UpsertEndUser } from '../../../contract/end-users.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import type { EndUserFilter } from '../../store/end-users/search.ts';
import type { EndUserQueue } from '../../store/end-users/upsert.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';
import type { PageRequest } from '../../store/page.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import { eraseEndUser } from './erase-end-user.ts';
import { exportEndUsers } from './export-end-users.ts';
import { exportEndUser } from './export-end-user.ts';
import { listConversationsOf, listEndUsers, listMessagesOf, readEndUser } from './read-end-users.ts';
import { setConsent } from './set-consent.ts';
import {
  bulkDryRun,
  type BulkRow,
  bulkUpsert,
  type Caller,
  createEndUser,
  updateEndUser,
  upsertEndUser,
} from './write-end-users.ts';

export type EndUsersDeps = { db: Db; queue: EndUserQueue; guard: IdempotencyGuard; suppression: Suppression };

/** All verbs on an end user; each is a file of this folder. */
export const createEndUsers = (deps: EndUsersDeps) => ({
  create: (caller: Caller, said: CreateEndUser) => createEndUser(deps, caller, said),
  upsert: (caller: Caller, externalId: string, said: UpsertEndUser) => upsertEndUser(deps, caller, externalId, said),
  update: (caller: Caller, id: string, said: UpdateEndUser) => updateEndUser(deps, caller, id, said),
  bulk: (caller: Caller, rows: readonly BulkRow[]) => bulkUpsert(deps, caller, rows),
  /** The result of `bulk`, without writing. */
  bulkDryRun: (orgId: string, rows: readonly BulkRow[]) => bulkDryRun(deps, orgId, rows),
  setConsent: (caller: Caller, id: string, channelKind: string, said: SetConsent) =>
    setConsent(deps, caller, id, channelKind, said),
  erase: (caller: Caller, id: string, actor?: Actor) => eraseEndUser(deps, caller, id, actor),
  read: (orgId: string, id: string) => readEndUser(deps, orgId, id),
  list: (orgId: string, filter: EndUserFilter, page: PageRequest) => listEndUsers(deps, orgId, filter, page),
  conversations: (orgId: string, id: string, page: PageRequest) => listConversationsOf(deps, orgId, id, page),
  messages: (orgId: string, of: { endUserId: string; conversationId: string }, page: PageRequest) =>
    listMessagesOf(deps, orgId, of, page),
  export: (orgId: string, id: string) => exportEndUser(deps, orgId, id),
  exportAll: (orgId: string, filter: EndUserFilter) => exportEndUsers(deps, orgId, filter),
});

export type EndUsers = ReturnType<typeof createEndUsers>;
