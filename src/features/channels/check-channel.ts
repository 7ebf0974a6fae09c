import type { ChannelCheck } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import { NOT_OPENED, SealError } from '../../kernel/seal.ts';
import { changeChannel, readChannel as readRow } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';
import { splitAccount } from './read-channels.ts';

/**
 * Checks the stored settings of a channel with the provider. Refused credentials mark the channel as broken, and
 * accepted credentials mark it as connected. If the provider cannot be reached, nothing changes.
 */
export async function checkChannel(deps: ChannelsDeps, orgId: string, id: string): Promise<ChannelCheck> {
  const { db, openSecrets, connector } = deps;
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  // This kind of channel has no provider to ask, so its state is the outcome of the last message.
  if (!connector.canAsk(row.kind)) {
    const isBroken = row.status === 'broken';
    return { ok: !isBroken, code: isBroken ? 'channel_broken' : null, detail: row.statusDetail, asked: false };
  }
  const secrets = await openSecrets(row).catch(notOpened);
  if (!secrets) return { ok: false, code: 'channel_unauthorized', detail: NOT_OPENED, asked: false };
  const { settings } = splitAccount(row.settings);
  const answer = await connector.connect(row.kind, id, { settings, secrets }, secrets);
  if (!('refused' in answer)) {
    // The check of a channel does not overwrite a change that was made during the check.
    const healthy = { settings: answer.settings, status: 'connected', statusDetail: null };
    await changeChannel(db, orgId, id, healthy, row.sealed);
    return { ok: true, code: null, detail: null, asked: true };
  }
  const { code, detail, isBroken } = answer.refused;
  if (isBroken) await changeChannel(db, orgId, id, { status: 'broken', statusDetail: detail }, row.sealed);
  return { ok: false, code, detail, asked: true };
}

function notOpened(error: unknown): null {
  if (error instanceof SealError) return null;
  throw error;
}
