import type pg from 'pg';
import type { DeliveryError } from '../../../contract/channels.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { byKey } from '../queue/join-by-key.ts';
import { type ClaimedByLane, dueFairly, fairnessOf } from '../queue/lanes.ts';
import { type Leased, leasedQueue } from '../queue/leased-queue.ts';

/**
 * A message without a `due_at` waits for the end of a campaign's pause (src/store/campaigns/runs.ts). Another
 * transaction locks a message while it stores the outcome. A renewal skips both kinds of messages.
 */
export const DELIVERY_QUEUE = leasedQueue('message', ['org_id', 'id'], { skipsLocked: true });

/**
 * Errors that other code sets on a message while a worker has claimed it. No further provider call is made for such a
 * message (src/store/campaigns/runs.ts).
 */
export const WITHDRAWN = {
  campaign_ended: {
    code: 'campaign_ended',
    detail: 'The campaign ended before this was sent.',
    provider_code: null,
  },
  cancelled: { code: 'cancelled', detail: 'The recipient was cancelled before this was sent.', provider_code: null },
} as const satisfies Record<string, DeliveryError>;
export const IS_WITHDRAWN = `m.error ->> 'code' IN ('${Object.keys(WITHDRAWN).join("', '")}')`;

/**
 * Recognizes the message of the turn that ended its run with an opt-out. Messages that waited before the confirmation
 * are older than the person's “stop”.
 */
const CONFIRMS_OPT_OUT = `EXISTS (SELECT 1 FROM run r WHERE r.org_id = m.org_id AND r.id = m.run_id
    AND r.status = 'completed' AND r.reason = 'opted_out')
  AND NOT EXISTS (SELECT 1 FROM message s WHERE s.org_id = m.org_id AND s.conversation_id = m.conversation_id
    AND s.role = 'end_user' AND s.id > m.id)`;

/** A claimed message with all data that sending needs. */
export type ClaimedDelivery = {
  org_id: string;
  id: string;
  lease: string;
  /** The organization's lane in the queue, with the highest number that this claim took from one lane. */
  lane: number;
  share: number;
  attempts: number;
  possible_duplicate: boolean;
  conversation_id: string;
  /** The address of the conversation, or else the address under which the channel knows the person. */
  address: string | null;
  /**
   * The time of the person's last message from this address. Null: the person never wrote from this address, or the
   * time is not known.
   */
  last_inbound_at: Date | null;
  role: string;
  content: MessageContent;
  metadata: Record<string, string> | null;
  created_at: Date;
  /**
   * The reason why the message may no longer be sent. The mark was set while another worker had claimed the message.
   */
  withdrawn: DeliveryError | null;
  /** True for the confirmation of “stop”, which is the last message to a person who has opted out. */
  confirms_opt_out: boolean;
  reply_to: { id: string; provider_message_id: string | null } | null;
  /** The person's latest e-mail before this message. On channels other than e-mail, there is no such message. */
  answers: { provider_message_id: string | null; subject: string | null } | null;
  channel: {
    id: string;
    kind: string;
    enabled: boolean;
    deleted: boolean;
    status: string;
    settings: Record<string, unknown>;
    sealed: string | null;
    updated_at: string;
  };
  person: {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    blocked: boolean;
    consent: string | null;
  };
};

/**
 * Claims up to `limit` due messages for this worker, as src/store/runs/claim.ts does with runs. Only the oldest
 * undelivered message of a conversation can be claimed. A claimed or retried message has a `due_at`, which blocks the
 * later messages of its conversation. A message whose scheduled time (`send_at`) has not come blocks no other message.
 * If a claimed message still has a lease, its worker died between calling and storing, so the message may be a
 * duplicate.
 */
const FIRST_OF_ITS_CONVERSATION = `AND NOT EXISTS (
  SELECT 1 FROM message o WHERE o.org_id = q.org_id AND o.conversation_id = q.conversation_id
    AND o.due_at IS NOT NULL AND o.id < q.id AND (o.send_at IS NULL OR o.send_at <= now()))`;

const CLAIM = DELIVERY_QUEUE.claim<ClaimedDelivery>({
  due: dueFairly('message', FIRST_OF_ITS_CONVERSATION),
  set: 'attempts = q.attempts + 1, possible_duplicate = q.possible_duplicate OR q.lease IS NOT NULL',
  returning: 'q.*, due.lane, due.share',
  read: `SELECT m.org_id, m.id, m.lease, m.lane, m.share, m.attempts, m.possible_duplicate, m.conversation_id, m.role,
  m.content, m.metadata, m.created_at,
  CASE WHEN ${IS_WITHDRAWN} THEN m.error END AS withdrawn,
  CASE WHEN e.consent -> ch.kind ->> 'status' = 'opted_out' THEN ${CONFIRMS_OPT_OUT} ELSE false END AS confirms_opt_out,
  coalesce(c.address, i.address) AS address, coalesce(own.last_inbound_at, i.last_inbound_at) AS last_inbound_at,
  CASE WHEN m.reply_to IS NOT NULL THEN json_build_object('id', m.reply_to, 'provider_message_id',
    (SELECT r.provider_message_id FROM message r WHERE r.org_id = m.org_id AND r.id = m.reply_to)) END AS reply_to,
  CASE WHEN ch.kind = 'email' THEN (
    SELECT json_build_object('provider_message_id', r.provider_message_id, 'subject', r.metadata ->> 'subject')
    FROM message r WHERE r.org_id = m.org_id AND r.conversation_id = m.conversation_id AND r.role = 'end_user'
      AND r.id < m.id
    ORDER BY r.created_at DESC, r.id DESC LIMIT 1) END AS answers,
  json_build_object('id', ch.id, 'kind', ch.kind, 'enabled', ch.enabled, 'deleted', ch.deleted_at IS NOT NULL,
    'status', ch.status, 'settings', ch.settings, 'sealed', ch.sealed, 'updated_at', ch.updated_at) AS channel,
  json_build_object('id', e.id, 'external_id', e.external_id, 'name', e.name, 'email', e.email, 'phone', e.phone,
    'blocked', e.blocked, 'consent', e.consent -> ch.kind ->> 'status') AS person
FROM claimed m
${byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id')}
${byKey('channel ch', 'ch.org_id = c.org_id AND ch.id = c.channel_id')}
${byKey('end_user e', 'e.org_id = c.org_id AND e.id = c.end_user_id')}
LEFT JOIN identity own ON own.org_id = c.org_id AND own.channel_id = c.channel_id AND own.address = c.address
LEFT JOIN LATERAL (SELECT address, last_inbound_at FROM identity i WHERE c.address IS NULL AND i.org_id = c.org_id
  AND i.end_user_id = c.end_user_id AND coalesce(i.channel_id, '') = c.channel_id
  ORDER BY i.last_inbound_at DESC NULLS LAST LIMIT 1) i ON true
ORDER BY m.id`,
});
export const CLAIM_DELIVERIES = CLAIM.text;

/** `claimedByLane` and `perLane` work as in src/store/runs/claim.ts. */
export const claimDeliveries = (
  pool: pg.Pool,
  lease: string,
  limit: number,
  claimedByLane: ClaimedByLane = new Map(),
  perLane: number = limit,
): Promise<ClaimedDelivery[]> => CLAIM(pool, limit, lease, fairnessOf(claimedByLane, perLane));

export type LeasedDelivery = Leased<'org_id' | 'id'>;
