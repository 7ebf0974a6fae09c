import type { DeliveryError } from '../../../contract/channels.ts';
import { ChannelFailure, type ChannelKind, type SendTools } from '../../channels/channel.ts';
import { fitContent } from '../../channels/fit-content.ts';
import { cleanName } from '../../features/conversations/store-inbound-message.ts';
import { isInWindow } from '../../kernel/reply-window.ts';
import { NOT_OPENED, SealError } from '../../kernel/seal.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { ClaimedDelivery } from '../../store/deliveries/claim.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import type { DeliveryOutcome } from '../../store/deliveries/complete.ts';

/** The number of the last attempt, which has no retry. */
export const MAX_ATTEMPTS = 12;
const MAX_BACKOFF_MS = 10 * 60_000;

export type Attempt = { outcome: DeliveryOutcome; broken: string | null; called: boolean };

/** Makes one attempt to deliver one message and decides what follows. The function never throws. */
export async function deliverMessage(
  claimed: ClaimedDelivery,
  deps: { kinds: ChannelKinds; openSecrets: OpenSecrets; tools: SendTools },
): Promise<Attempt> {
  const refused = heldBack(claimed);
  if (refused) return { outcome: ended(claimed, refused.status, refused.error), broken: null, called: false };
  const kind = deps.kinds.get(claimed.channel.kind);
  try {
    if (!kind) throw new ChannelFailure('channel_unsupported', 'This server does not support this kind of channel.');
    if (!kind.send) return { outcome: ended(claimed, 'delivered', null), broken: null, called: false };
    const address = claimed.address ?? kind.addressOf?.(claimed.person) ?? null;
    const content = checked(claimed, kind, address, deps.tools.now());
    const { id, settings } = claimed.channel;
    const secrets = await deps.openSecrets({ ...claimed.channel, orgId: claimed.org_id }).catch(notOpened);
    const sent = await kind.send(
      {
        id: claimed.id,
        conversationId: claimed.conversation_id,
        address,
        role: claimed.role,
        content,
        metadata: claimed.metadata ?? {},
        replyTo: claimed.reply_to && {
          id: claimed.reply_to.id,
          providerMessageId: claimed.reply_to.provider_message_id,
        },
        answers: claimed.answers && {
          providerMessageId: claimed.answers.provider_message_id,
          subject: claimed.answers.subject,
        },
        person: personOf(claimed),
        createdAt: claimed.created_at,
      },
      { id, settings, secrets },
      deps.tools,
    );
    const outcome = {
      ...ended(claimed, sent.status, null),
      providerMessageId: cleanName(sent.providerMessageId ?? undefined),
      learned: address === null ? null : learnedFrom(claimed, address),
    };
    return { outcome, broken: null, called: true };
  } catch (error) {
    return failed(claimed, error, kind?.repeatable ?? false, deps.tools.signal);
  }
}

/** The reason why the message may not be sent, independent of the provider. */
function heldBack({ attempts, channel, person, withdrawn, confirms_opt_out: confirms }: ClaimedDelivery) {
  if (withdrawn) return { status: 'suppressed' as const, error: withdrawn };
  if (channel.deleted || !channel.enabled) {
    return because(
      'failed',
      'channel_disabled',
      'The channel was disconnected or disabled before the message was sent.',
    );
  }
  const silent = reasonNotToSend(person.blocked, person.consent);
  if (silent === 'blocked') return because('suppressed', 'recipient_blocked', 'The recipient is blocked.');
  if (silent === 'opted_out' && !confirms) {
    return because('suppressed', 'recipient_opted_out', 'The recipient has opted out of this kind of channel.');
  }
  if (attempts > MAX_ATTEMPTS) {
    return because('failed', 'attempts_exhausted', `The message could not be sent in ${MAX_ATTEMPTS} attempts.`);
  }
  return null;
}

/** A message that could not be opened was not sent, so no duplicate is possible. */
function notOpened(cause: unknown): never {
  if (!(cause instanceof SealError)) throw cause;
  throw new ChannelFailure('channel_unauthorized', NOT_OPENED, { retryable: true, cause });
}

const because = (status: 'failed' | 'suppressed', code: string, detail: string) => ({
  status,
  error: { code, detail, provider_code: null },
});

function checked(claimed: ClaimedDelivery, kind: ChannelKind, address: string | null, now: number) {
  const { capabilities } = kind;
  if (capabilities.needs_address && address === null) {
    throw new ChannelFailure('no_address', 'The recipient has no address on this channel.');
  }
  const content = fitContent(claimed.content, kind);
  const hours = capabilities.reply_window_hours;
  if (content.type === 'template' || isInWindow(hours, claimed.last_inbound_at, now)) return content;
  throw new ChannelFailure(
    'session_window_closed',
    `The person has not written for ${hours} hours: only a template may be sent.`,
  );
}

const personOf = ({ person: { id, external_id, name, email, phone } }: ClaimedDelivery) => ({
  id,
  external_id,
  name,
  email,
  phone,
});

const learnedFrom = (claimed: ClaimedDelivery, address: string): DeliveryOutcome['learned'] => ({
  conversationId: claimed.conversation_id,
  channelId: claimed.channel.id,
  endUserId: claimed.person.id,
  address,
});

const ended = (
  claimed: ClaimedDelivery,
  status: DeliveryOutcome['status'],
  error: DeliveryError | null,
): DeliveryOutcome => ({
  claimed,
  status,
  error,
  providerMessageId: null,
  possibleDuplicate: false,
  againAfterMs: null,
  refund: false,
  learned: null,
});

/** Returns a delivery unchanged to the queue, because no attempt was made. */
export const givenBack = (claimed: ClaimedDelivery, afterMs: number): DeliveryOutcome => ({
  ...ended(claimed, 'queued', null),
  againAfterMs: afterMs,
  refund: true,
});

/**
 * Decides what follows from a failure. After a permanent failure, the message is `failed`. After a temporary failure,
 * the message is queued again, with a delay or at the time that the provider requested. Without a response, the
 * provider may have the message, so it is retried only if the receiver can detect a duplicate, and is otherwise
 * `undelivered`. The reason is that no person should get the same message twice, and "failed" may be wrong.
 */
function failed(claimed: ClaimedDelivery, error: unknown, repeatable: boolean, signal: AbortSignal): Attempt {
  if (signal.aborted) {
    // This server stops in the middle of a call, and another server continues, as after a crash.
    const outcome = { ...ended(claimed, 'queued', null), againAfterMs: 0, possibleDuplicate: true };
    return { outcome, broken: null, called: true };
  }
  const failure =
    error instanceof ChannelFailure
      ? error
      : new ChannelFailure('internal_error', 'The attempt failed inside Parley; the log has the reason.', {
          retryable: true,
          mayHaveSent: true,
          cause: error,
        });
  const { facts, code, message: detail } = failure;
  const known: DeliveryError = { code, detail, provider_code: facts.providerCode ?? null };
  const mayHaveSent = facts.mayHaveSent ?? false;
  const outcome = ended(claimed, 'failed', known);
  if (mayHaveSent && !repeatable) {
    outcome.status = 'undelivered';
    outcome.error = { ...known, code: 'outcome_unknown', detail: `${detail} The provider may have the message.` };
  } else if (facts.retryable && claimed.attempts < MAX_ATTEMPTS) {
    outcome.status = 'queued';
    outcome.againAfterMs = Math.max(backoff(claimed.attempts), facts.retryAfterMs ?? 0);
    outcome.possibleDuplicate = mayHaveSent;
  }
  return { outcome, broken: facts.channelBroken ? detail : null, called: true };
}

const backoff = (attempts: number) =>
  Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2);
