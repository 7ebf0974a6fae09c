import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { eraseCasesFrom } from '../agents/test-cases.ts';
import { eraseAdditions } from '../campaigns/addition-queue.ts';
import type { Queryable } from '../db.ts';
import { type Erased, scrubStoredAnswers } from '../idempotency/erase.ts';
import { deleteEventsOf } from '../events/events.ts';
import { erasedReceipt } from '../deliveries/receipts.ts';
import { eraseImportFaults, eraseImportFiles } from '../imports/erase-files.ts';
import { approval } from '../schema/approval.ts';
import { channel } from '../schema/channel.ts';
import { recipient } from '../schema/campaign.ts';
import { conversation, message } from '../schema/conversation.ts';
import { endUser, identity, suppression as suppressionTable } from '../schema/end-user.ts';
import { inboundEvent } from '../schema/inbound.ts';
import { eraseWordingsOf } from '../wordings.ts';
import { type Consent, type Identified, identifiersAt, IDENTIFIERS, type Suppression } from './suppression.ts';

/**
 * Erases a person: deletes every row about them, in one transaction. The person's own row is deleted last: work that is
 * accepted for the person at the same time fails on its reference and is planned again without the person. Rows are
 * locked in the order of the accepting statements (person, conversation, run). Returns null if the person does not
 * exist, otherwise the number of deleted test cases with the person's messages.
 */
export async function eraseEndUser(
  tx: Queryable,
  orgId: string,
  id: string,
  suppression: Suppression,
  /** Stored responses before this time do not contain the person (`scrubInPages`). Null: all responses are read. */
  since: Date | null = null,
): Promise<{ tests: number } | null> {
  const [person] = await tx
    .select()
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, id)))
    .for('update');
  if (!person) return null;
  const addresses = await tx
    .select({ address: identity.address, kind: channel.kind, channelId: identity.channelId })
    .from(identity)
    .innerJoin(channel, and(eq(channel.orgId, identity.orgId), eq(channel.id, identity.channelId)))
    .where(and(eq(identity.orgId, orgId), eq(identity.endUserId, id)));
  await keepOptOuts(tx, orgId, person, addresses, suppression);
  const conversations = await tx
    .select({ id: conversation.id })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), eq(conversation.endUserId, id)))
    .for('update');
  const erased = await readErased(tx, orgId, id);
  await eraseConversations(
    tx,
    orgId,
    conversations.map((row) => row.id),
  );
  await detachRecipients(tx, orgId, id);
  await scrubStoredAnswers(tx, orgId, erased, since);
  const identifiers = [person.externalId, person.email, person.phone].filter((one) => one !== null);
  await eraseImportFaults(tx, orgId, identifiers);
  await eraseImportFiles(tx, orgId, identifiers);
  await eraseAdditions(tx, orgId, identifiers);
  await eraseChannelDetails(tx, orgId, [...identifiers, ...addresses.map(({ address }) => address)]);
  const tests = await eraseCasesFrom(tx, orgId, id);
  await eraseWordingsOf(tx, orgId, id);
  await tx.delete(identity).where(and(eq(identity.orgId, orgId), eq(identity.endUserId, id)));
  // The deletion of events runs after all changes that cause events. At this point, concurrent events are committed, so
  // the deletion finds them.
  await deleteEventsOf(tx, orgId, id);
  await tx.delete(endUser).where(and(eq(endUser.orgId, orgId), eq(endUser.id, id)));
  return { tests };
}

/** The IDs in stored responses about the person. */
export async function readErased(tx: Queryable, orgId: string, id: string): Promise<Erased> {
  const recipients = await tx
    .select({ id: recipient.id })
    .from(recipient)
    .where(and(eq(recipient.orgId, orgId), eq(recipient.endUserId, id)));
  const approvals = await tx
    .select({ id: approval.id })
    .from(approval)
    .innerJoin(conversation, and(eq(conversation.orgId, approval.orgId), eq(conversation.id, approval.conversationId)))
    .where(and(eq(conversation.orgId, orgId), eq(conversation.endUserId, id)));
  return { endUserId: id, recipientIds: recipients.map((row) => row.id), approvalIds: approvals.map((row) => row.id) };
}

/** Stores the person's opt-outs under a digest of each identifier. Stores nothing if the person has no opt-out. */
async function keepOptOuts(
  tx: Queryable,
  orgId: string,
  person: typeof endUser.$inferSelect,
  addresses: readonly { address: string; kind: string }[],
  suppression: Suppression,
): Promise<void> {
  const own = { external_id: person.externalId, email: person.email, phone: person.phone };
  const named: Identified[] = [
    ...IDENTIFIERS.flatMap((kind) => (own[kind] === null ? [] : [{ orgId, kind, value: own[kind] }])),
    ...addresses.flatMap(({ kind, address }) =>
      identifiersAt(kind, address).map(([known, value]) => ({ orgId, kind: known, value })),
    ),
  ];
  if (named.length === 0) return;
  const forms = named.map(suppression);
  const all = forms.flat();
  const consent: Consent = Object.fromEntries(
    Object.entries(person.consent)
      .filter(([, entry]) => (entry as { status?: string } | null)?.status === 'opted_out')
      // The source of a consent is free text that may contain the person's name.
      .map(([kind, entry]) => [
        kind,
        { status: 'opted_out', source: 'kept', at: (entry as { at?: string }).at ?? null },
      ]),
  );
  if (Object.keys(consent).length === 0 && !person.blocked) {
    await tx
      .delete(suppressionTable)
      .where(and(eq(suppressionTable.orgId, orgId), inArray(suppressionTable.digest, all)));
    return;
  }
  const rows = new Map(forms.map(([digest]) => [digest!.toString('base64'), digest!]));
  const others = all.filter((digest) => !rows.has(digest.toString('base64')));
  if (others.length > 0) {
    await tx
      .delete(suppressionTable)
      .where(and(eq(suppressionTable.orgId, orgId), inArray(suppressionTable.digest, others)));
  }
  const { generation } = suppression;
  await tx
    .insert(suppressionTable)
    .values([...rows.values()].map((digest) => ({ orgId, digest, consent, blocked: person.blocked, generation })))
    .onConflictDoUpdate({
      target: [suppressionTable.orgId, suppressionTable.digest],
      set: { consent: sql`excluded.consent`, blocked: sql`excluded.blocked` },
    });
}

/** A statement has at most 65,535 parameters. */
const ROWS_AT_ONCE = 5_000;

async function eraseConversations(tx: Queryable, orgId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const list = sql`${sql.param([...ids])}::text[]`;
  await tx.execute(
    sql`SELECT 1 FROM run WHERE org_id = ${orgId} AND conversation_id = ANY (${list}) ORDER BY id FOR UPDATE`,
  );
  await rememberSent(tx, orgId, ids);
  // Provider IDs may contain an address. The IDs of WhatsApp messages contain phone numbers. A widget's receipts are
  // deleted with their message. If the widget reports such receipts again, the receipts count as new.
  await tx.execute(sql`WITH gone AS (
      DELETE FROM message WHERE org_id = ${orgId} AND conversation_id = ANY (${list}) RETURNING provider_message_id
    ), receipts AS (
      DELETE FROM receipt WHERE org_id = ${orgId} AND provider_message_id IN (SELECT provider_message_id FROM gone)
    )
    DELETE FROM inbound_event WHERE org_id = ${orgId} AND event_id IN (
      SELECT encode(sha256(convert_to(provider_message_id, 'UTF8')), 'hex') FROM gone
      WHERE provider_message_id ~ '^(visitor|user)_')`);
  await tx.execute(sql`DELETE FROM run WHERE org_id = ${orgId} AND conversation_id = ANY (${list})`);
  await tx.execute(sql`DELETE FROM conversation WHERE org_id = ${orgId} AND id = ANY (${list})`);
}

/** A provider may report a delivery days later. A report is not stored if the hash of its message ID exists. */
async function rememberSent(tx: Queryable, orgId: string, ids: readonly string[]): Promise<void> {
  const sent = await tx
    .select({ channelId: conversation.channelId, id: message.providerMessageId })
    .from(message)
    .innerJoin(conversation, and(eq(conversation.orgId, message.orgId), eq(conversation.id, message.conversationId)))
    .where(
      and(
        eq(message.orgId, orgId),
        sql`${message.conversationId} = ANY (${sql.param([...ids])}::text[])`,
        ne(message.role, 'end_user'),
      ),
    );
  const rows = sent.flatMap(({ channelId, id }) =>
    id === null ? [] : [{ orgId, channelId, eventId: erasedReceipt(id) }],
  );
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await tx
      .insert(inboundEvent)
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflictDoNothing();
}

/** A provider's reason for a broken channel may contain the recipient's name. */
async function eraseChannelDetails(tx: Queryable, orgId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.execute(sql`UPDATE channel SET status_detail = 'The provider refused it; check the channel to learn why.'
    WHERE org_id = ${orgId} AND EXISTS (
      SELECT 1 FROM unnest(${sql.param([...names])}::text[]) AS w(name)
        WHERE strpos(lower(status_detail), lower(w.name)) > 0)`);
}

/** Campaigns keep their counts without the person. A recipient who was not messaged yet is suppressed. */
async function detachRecipients(tx: Queryable, orgId: string, id: string): Promise<void> {
  const open = sql`${recipient.status} IN ('pending', 'waiting_window', 'sending')`;
  await tx
    .update(recipient)
    .set({
      endUserId: null,
      ref: null,
      variables: {},
      dueAt: null,
      conversationId: null,
      runId: null,
      status: sql`CASE WHEN ${open} THEN 'suppressed' ELSE ${recipient.status} END`,
      reason: sql`CASE WHEN ${open} THEN 'erased' ELSE ${recipient.reason} END`,
      updatedAt: sql`statement_timestamp()`,
    })
    .where(and(eq(recipient.orgId, orgId), eq(recipient.endUserId, id)));
}
