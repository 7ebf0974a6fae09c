import type { ConnectedChannel, UpdateChannelBody } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Connected } from '../../channels/connect.ts';
import { SealError } from '../../kernel/seal.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { type ChannelRow, changeChannel, readChannel as readRow } from '../../store/channels/channels.ts';
import { channelCredential, sameAddresses, secretRequired } from '../../store/credentials.ts';
import { askProvider, sealSecrets, splitSettings } from './ask-provider.ts';
import type { ChannelsDeps } from './deps.ts';
import { presentChannel, presentShown, splitAccount } from './read-channels.ts';

/**
 * The value `enabled: false` stops the channel on the next request. New settings or credentials are first checked with
 * the provider. If the provider accepts the settings, a broken channel becomes connected again.
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
    const changed = { ...(name !== undefined && { name }), ...(enabled !== undefined && { enabled }) };
    const stored = connected && {
      settings: connected.settings,
      sealed: await sealSecrets(tx, deps.sealingKey, { ...before, settings: connected.settings }, connected.secrets),
      status: 'connected',
      statusDetail: null,
    };
    const row = await changeChannel(tx, orgId, id, { ...changed, ...stored });
    if (!row) throw new Refusal('channel_not_found');
    const facts = {
      ...changed,
      ...(connected && { settings: splitAccount(connected.settings).settings }),
      ...(body.new_secret && { new_secret: true }),
    };
    await recordAudit(tx, { orgId, actor, action: 'channel.updated', subjectId: id, facts });
    return presentChannel(deps, row);
  });
  return { ...result, ...(body.new_secret && presentShown(connected!.shown)) };
}

/** The value `null` removes a setting. */
const unchanged = (filled: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null));

/** If stored secrets no longer open, the call must contain all secrets again. */
function noSecrets(error: unknown): Record<string, string> {
  if (error instanceof SealError) return {};
  throw error;
}

/**
 * Absent secret fields keep their stored value, so a user need not enter a token to change a name. If an address
 * changes, the secrets must be entered again, because a secret for one server is never sent to another server.
 */
async function reconnect(
  deps: ChannelsDeps,
  row: ChannelRow,
  { settings, new_secret: isNew }: UpdateChannelBody,
): Promise<Connected> {
  const { id, kind } = row;
  const known = Object.entries(await deps.openSecrets(row).catch(noSecrets));
  const isEntered = ([secret]: [string, string]) => deps.connector.isEntered(kind, secret);
  const given = known.filter(isEntered);
  const next = settings ?? splitAccount(row.settings).settings;
  const isMoved = !sameAddresses(channelCredential(row), channelCredential({ ...row, settings: unchanged(next) }));
  const missing = isMoved ? given.filter(([secret]) => next[secret] === undefined) : [];
  if (missing.length > 0) {
    const errors = missing.map(([secret]) => secretRequired(`/settings/${secret}`));
    throw new Refusal('validation_failed', undefined, { errors });
  }
  const split = splitSettings(deps, kind, unchanged({ ...Object.fromEntries(given), ...next }));
  const own = known.filter(
    (entry) => !isEntered(entry) && !(isMoved && deps.connector.isSentToProvider(kind, entry[0])),
  );
  return askProvider(deps, { kind, id }, split, isNew ? {} : Object.fromEntries(own));
}
