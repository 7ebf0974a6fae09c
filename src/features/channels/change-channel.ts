import type { ConnectedChannel, UpdateChannelBody } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Connected } from '../../channels/connect.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import { type ChannelRow, changeChannel, readChannel as readRow } from '../../store/channels.ts';
import { askProvider, sealSecrets, splitSettings } from './ask-provider.ts';
import type { ChannelsDeps } from './channels.ts';
import { presentChannel, presentShown, splitAccount } from './read-channels.ts';

/**
 * `enabled: false` stops the channel on the very next request. New settings or credentials are asked about at the
 * provider first; when it accepts them, a channel that was broken is whole again.
 */
export async function updateChannel(
  deps: ChannelsDeps,
  orgId: string,
  id: string,
  body: UpdateChannelBody,
  actor: Actor,
): Promise<ConnectedChannel> {
  const { name, enabled } = body;
  const before = await readRow(deps.db, orgId, id);
  if (!before) throw new Refusal('channel_not_found');
  const isReconnect = body.settings !== undefined || body.new_secret === true;
  const connected = isReconnect ? await reconnect(deps, before, body) : null;
  const { result } = await deps.access.change({ kind: 'channel', id }, async (tx) => {
    const told = { ...(name !== undefined && { name }), ...(enabled !== undefined && { enabled }) };
    const stored = connected && {
      settings: connected.settings,
      sealed: await sealSecrets(tx, deps.sealingKey, { orgId, channelId: id }, connected.secrets),
      status: 'connected',
      statusDetail: null,
    };
    const row = await changeChannel(tx, orgId, id, { ...told, ...stored });
    if (!row) throw new Refusal('channel_not_found');
    const facts = {
      ...told,
      ...(connected && { settings: splitAccount(connected.settings).settings }),
      ...(body.new_secret && { new_secret: true }),
    };
    await recordAudit(tx, { orgId, actor, action: 'channel.updated', subjectId: id, facts });
    return presentChannel(deps, row);
  });
  return { ...result, ...(body.new_secret && presentShown(connected!.shown)) };
}

/** Secret fields that are left out stay as they are stored, so that nobody has to type a token to change a name. */
async function reconnect(
  deps: ChannelsDeps,
  { orgId, id, kind, settings: stored, sealed }: ChannelRow,
  { settings, new_secret: isNew }: UpdateChannelBody,
): Promise<Connected> {
  const known = Object.entries(await deps.openSecrets({ orgId, channelId: id, sealed }));
  const isGiven = ([secret]: [string, string]) => deps.connector.isGiven(kind, secret);
  const filled = { ...Object.fromEntries(known.filter(isGiven)), ...(settings ?? splitAccount(stored).settings) };
  const kept = Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null));
  const own = isNew ? {} : Object.fromEntries(known.filter((entry) => !isGiven(entry)));
  return askProvider(deps, { kind, id }, splitSettings(deps, kind, kept), own);
}
