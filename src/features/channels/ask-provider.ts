import { Refusal } from '../../../contract/problems.ts';
import type { Connected, SplitSettings } from '../../channels/connect.ts';
import type { Key } from '../../kernel/seal.ts';
import type { SealedChannel } from '../../store/channels/secrets.ts';
import { channelCredential, sealCredential } from '../../store/credentials.ts';
import type { Queryable } from '../../store/db.ts';
import type { ChannelsDeps } from './deps.ts';

/** The user's input, checked against the schema of the kind. */
export function splitSettings(
  { connector }: Pick<ChannelsDeps, 'connector'>,
  kind: string,
  filled: Record<string, unknown>,
): SplitSettings {
  const split = connector.split(kind, filled);
  if ('faults' in split) throw new Refusal('validation_failed', undefined, { errors: split.faults });
  return split;
}

/**
 * The provider checks the credentials before anything is stored. The provider's check runs outside of every
 * transaction, because it may take long. A refusal contains the provider's reason, and the wrong setting if the
 * response names the setting.
 */
export async function askProvider(
  { connector }: Pick<ChannelsDeps, 'connector'>,
  { kind, id }: { kind: string; id: string },
  split: SplitSettings,
  own?: Record<string, string>,
): Promise<Connected> {
  const connected = await connector.connect(kind, id, split, own);
  if (!('refused' in connected)) return connected;
  const { code, detail, setting } = connected.refused;
  const pointer = setting === null ? '/settings' : `/settings/${setting}`;
  throw new Refusal('channel_check_failed', detail, { errors: [{ pointer, code, detail }] });
}

/** Null if the channel has no secret. The sealed text is a JSON object, `{"secret":"whsec_…"}`. */
export async function sealSecrets(
  tx: Queryable,
  sealingKey: Key,
  channel: Omit<SealedChannel, 'sealed'>,
  secrets: Record<string, string>,
): Promise<string | null> {
  if (Object.keys(secrets).length === 0) return null;
  return sealCredential(tx, sealingKey, channelCredential(channel), JSON.stringify(secrets));
}
