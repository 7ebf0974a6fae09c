import { CHANNEL_KINDS, isChannelKind } from '../../../contract/channel-kinds.ts';
import type { EndUser, SetConsent } from '../../../contract/end-users.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { setConsent as storeConsent } from '../../store/end-users/set-consent.ts';
import { readEndUser } from '../../store/end-users/read.ts';
import { readEndUser as present } from './read-end-users.ts';
import type { EndUsersDeps, Writer } from './deps.ts';

/** Sets a person's consent on one kind of channel. All code that sends messages checks this consent. */
export async function setConsent(
  { db }: Pick<EndUsersDeps, 'db'>,
  { orgId, keyId, from }: Writer,
  id: string,
  channelKind: string,
  { status, source = 'api' }: SetConsent,
): Promise<EndUser> {
  // An opt-out for an unknown kind of channel would have no effect.
  if (!isChannelKind(channelKind)) {
    const detail = `Must be a kind of channel: ${CHANNEL_KINDS.join(', ')}.`;
    throw invalidAt('/channel_kind', 'format', detail);
  }
  await db.transaction(async (tx) => {
    await holdFence(tx, { orgId, keyId, from });
    if (!(await readEndUser(tx, orgId, id))) throw new Refusal('end_user_not_found');
    await storeConsent(tx, orgId, id, channelKind, status, source);
  });
  return present({ db }, orgId, id);
}
