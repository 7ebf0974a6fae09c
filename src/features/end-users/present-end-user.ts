import type { EndUser, EndUserConversation } from '../../../contract/end-users.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { EndUserRow as PlannedRow } from '../../store/end-users/end-user-row.ts';
import type { EndUserConversationRow, EndUserRow, IdentityRow } from '../../store/end-users/read.ts';
import type { WrittenPerson } from '../../store/end-users/write.ts';

/** The public format of a person. */
export const presentEndUser = (row: EndUserRow, identities: readonly IdentityRow[]): EndUser => ({
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

/**
 * Presents a person who was just created or changed. `written`: null before the write, when only the planned row is
 * known.
 */
export const presentWritten = (row: PlannedRow, written: WrittenPerson | null): EndUser => ({
  id: row.id,
  external_id: row.external_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  locale: row.locale,
  time_zone: row.time_zone,
  attributes: row.attributes,
  tags: row.tags,
  identities: written?.identities ?? [],
  consent: row.consent,
  blocked: row.blocked,
  created_at: timestamp(row.created_at!),
  updated_at: timestamp(written?.updatedAt ?? row.updated_at ?? row.created_at!),
  last_seen_at: row.last_seen_at && timestamp(row.last_seen_at),
});

export const presentEndUserConversation = (row: EndUserConversationRow): EndUserConversation => ({
  id: row.id,
  agent_id: row.agentId,
  channel_id: row.channelId,
  channel_kind: row.channelKind,
  key: row.key,
  status: row.status as EndUserConversation['status'],
  locale: row.locale,
  tags: row.tags,
  rating: row.rating,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
