import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { atHome, inEachCell } from '../cells/by-cell.ts';
import type { Queryable } from '../db.ts';
import type { Suppressed } from '../end-users/find-suppressed.ts';
import { IDENTIFIERS, type Identifier } from '../end-users/suppression.ts';
import { rememberedId } from './event-id.ts';
import { channel } from '../schema/channel.ts';
import { conversation } from '../schema/conversation.ts';
import { endUser, identity } from '../schema/end-user.ts';
import { inboundEvent } from '../schema/inbound.ts';

export type InboundChannel = {
  orgId: string;
  id: string;
  agentId: string;
  kind: string;
  enabled: boolean;
  settings: Record<string, unknown>;
  sealed: string | null;
};

/** Finds the channel in a webhook's URL. */
export async function findInboundChannel(db: Queryable, id: string): Promise<InboundChannel | null> {
  return (await findInboundChannels(db, [id]))[0] ?? null;
}

/** The organization is not known before this query, so only this query selects by ID alone. */
export const findInboundChannels = async (db: Queryable, ids: string[]): Promise<InboundChannel[]> =>
  (await inEachCell(db, async (cell) => atHome(cell, await inboundChannelsIn(cell, ids)))).flat();

function inboundChannelsIn(db: Queryable, ids: string[]): Promise<InboundChannel[]> {
  return db
    .select({
      orgId: channel.orgId,
      id: channel.id,
      agentId: channel.agentId,
      kind: channel.kind,
      enabled: channel.enabled,
      settings: channel.settings,
      sealed: channel.sealed,
    })
    .from(channel)
    .where(and(inArray(channel.id, ids), isNull(channel.deletedAt)));
}

/** Returns false if the provider has sent this event before. */
export async function rememberEvent(
  tx: Queryable,
  orgId: string,
  channelId: string,
  eventId: string,
): Promise<boolean> {
  const rows = await tx
    .insert(inboundEvent)
    .values({ orgId, channelId, eventId: rememberedId(eventId) })
    .onConflictDoNothing()
    .returning({ eventId: inboundEvent.eventId });
  return rows.length > 0;
}

/** Locks an address until the transaction ends, so that first messages arrive one after the other. */
export async function lockAddress(tx: Queryable, channelId: string, address: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${channelId} ${address}`}, 0))`);
}

export async function findIdentity(
  tx: Queryable,
  orgId: string,
  channelId: string,
  address: string,
): Promise<string | null> {
  const [row] = await tx
    .select({ endUserId: identity.endUserId })
    .from(identity)
    .where(and(eq(identity.orgId, orgId), eq(identity.channelId, channelId), eq(identity.address, address)));
  return row?.endUserId ?? null;
}

/**
 * Stores that a person wrote from an address. On the first message, the function also stores the owner of the address.
 */
export async function touchIdentity(
  tx: Queryable,
  orgId: string,
  row: { channelId: string; address: string; endUserId: string },
): Promise<void> {
  await tx
    .update(endUser)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, row.endUserId)));
  await tx
    .insert(identity)
    .values({ orgId, ...row, lastInboundAt: sql`now()` })
    .onConflictDoUpdate({
      target: [identity.orgId, identity.channelId, identity.address],
      set: { lastInboundAt: sql`excluded.last_inbound_at` },
    });
}

export type Newcomer = {
  external_id?: string | null;
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  locale?: string | null;
};

/**
 * Finds the person with one of the given identifiers. An external ID has priority over an e-mail address, and an e-mail
 * address over a phone number. A person with another external ID is a different person. `taken`: the identifiers that
 * belong to people with another external ID.
 */
export async function findNewcomer(
  tx: Queryable,
  orgId: string,
  person: Newcomer,
): Promise<{ id: string } | { taken: Identifier[] }> {
  const columns = { external_id: endUser.externalId, email: endUser.email, phone: endUser.phone };
  const taken: Identifier[] = [];
  for (const field of IDENTIFIERS) {
    const value = person[field];
    if (!value) continue;
    const [row] = await tx
      .select({ id: endUser.id, externalId: endUser.externalId })
      .from(endUser)
      .where(and(eq(endUser.orgId, orgId), eq(columns[field], value)));
    if (!row) continue;
    if (field === 'external_id' || !person.external_id || row.externalId === null) return { id: row.id };
    taken.push(field);
  }
  return { taken };
}

/** `kept`: the opt-outs of an erased person who has returned. */
export async function insertNewcomer(
  tx: Queryable,
  orgId: string,
  id: string,
  person: Newcomer,
  suppressed: Suppressed | null,
): Promise<void> {
  const { external_id: externalId = null, name = null, email = null, phone = null, locale = null } = person;
  await tx.insert(endUser).values({ orgId, id, externalId, name, email, phone, locale, ...suppressed });
}

/**
 * Finds the newest conversation from this address. If the address has no conversation, finds the person's newest
 * conversation without an address.
 */
export async function findOngoing(
  tx: Queryable,
  orgId: string,
  channelId: string,
  from: { address: string; endUserId: string },
): Promise<{ id: string; address: string | null } | null> {
  const columns = { id: conversation.id, address: conversation.address };
  const here = and(eq(conversation.orgId, orgId), eq(conversation.channelId, channelId));
  const [byAddress] = await tx
    .select(columns)
    .from(conversation)
    .where(and(here, eq(conversation.address, from.address)))
    .orderBy(desc(conversation.id))
    .limit(1);
  if (byAddress) return byAddress;
  const [byPerson] = await tx
    .select(columns)
    .from(conversation)
    .where(and(here, eq(conversation.endUserId, from.endUserId), isNull(conversation.address)))
    .orderBy(desc(conversation.id))
    .limit(1);
  return byPerson ?? null;
}

export async function setConversationAddress(tx: Queryable, orgId: string, id: string, address: string): Promise<void> {
  await tx
    .update(conversation)
    .set({ address })
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id)));
}

export async function insertAddressedConversation(
  tx: Queryable,
  orgId: string,
  row: { id: string; agentId: string; channelId: string; endUserId: string; address: string; locale: string | null },
): Promise<void> {
  await tx.insert(conversation).values({ orgId, ...row });
}

/** Finds the conversation with this ID on this channel. */
export async function findChannelConversation(
  tx: Queryable,
  orgId: string,
  channelId: string,
  id: string,
): Promise<{ id: string; endUserId: string; address: string | null } | null> {
  const [row] = await tx
    .select({ id: conversation.id, endUserId: conversation.endUserId, address: conversation.address })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, id), eq(conversation.channelId, channelId)));
  return row ?? null;
}
