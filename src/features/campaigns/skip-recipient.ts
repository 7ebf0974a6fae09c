import { channelKinds } from '../../channels/kinds.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import type { DueRecipient, LockedCampaign } from '../../store/recipients/dispatch.ts';

export type Skip = { status: 'suppressed' | 'failed' | 'expired'; reason: string };

/**
 * Decides when a campaign skips a recipient. The rule is checked when the first message is due. The reasons are a block
 * or an opt-out of the person, the end of the campaign, a missing address, or hours that never open. Dispatch, review
 * and rehearsal call this function. A person who may not be messaged when the recipient is added is skipped immediately
 * (src/store/recipients/add-recipients.ts). A person who is already enrolled is a duplicate.
 */
export function whySkipped(
  { settings, channel_kind: kind, now }: Pick<LockedCampaign, 'settings' | 'channel_kind' | 'now'>,
  { person, address }: DueRecipient,
): Skip | null {
  const silent = reasonNotToSend(person.blocked, person.consent);
  if (silent !== null) return { status: 'suppressed', reason: silent };
  if (settings.ends_at && new Date(settings.ends_at) <= now) return ENDED;
  if (address === null && channelKinds.get(kind)?.capabilities.needs_address)
    return { status: 'failed', reason: 'no_address' };
  return null;
}

/** The campaign is over, or its hours open only after its end. */
export const ENDED: Skip = { status: 'expired', reason: 'campaign_ended' };
export const NEVER_OPEN: Skip = { status: 'failed', reason: 'never_open' };
