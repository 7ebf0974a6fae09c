import type { EndUserRecord } from '../../../contract/dashboard/end-users.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db } from '../../store/db.ts';
import {
  type EndUserRow,
  type IdentityRow,
  listEndUsers as listRows,
  listIdentities,
  readEndUser as readRow,
} from '../../store/end-users.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';

type Reads = { db: Db };

/** The list leaves identities out; reading one person shows them. */
export async function listEndUsers(
  { db }: Reads,
  orgId: string,
  filter: { text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<EndUserRecord>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  return { rows: rows.map((row) => presentEndUser(row, [])), hasMore };
}

export async function readEndUser({ db }: Reads, orgId: string, id: string): Promise<EndUserRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('end_user_not_found');
  return presentEndUser(row, await listIdentities(db, orgId, id));
}

const presentEndUser = (row: EndUserRow, identities: IdentityRow[]): EndUserRecord => ({
  id: row.id,
  external_id: row.externalId,
  name: row.name,
  email: row.email,
  phone: row.phone,
  locale: row.locale,
  time_zone: row.timeZone,
  attributes: row.attributes,
  tags: row.tags,
  identities: identities.map((one) => ({
    channel_id: one.channelId,
    channel_kind: one.channelKind,
    address: one.address,
  })),
  consent: row.consent,
  blocked: row.blocked,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
  last_seen_at: row.lastSeenAt && timestamp(row.lastSeenAt),
});
