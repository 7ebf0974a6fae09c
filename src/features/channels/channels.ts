import type { Access } from '../../access/access.ts';
import type { Connector } from '../../channels/connect.ts';
import type { Key } from '../../kernel/seal.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type ChannelsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  openSecrets: OpenSecrets;
  connector: Connector;
};

/** Channels of one agent. */
export const MAX_CHANNELS_PER_AGENT = 100;
