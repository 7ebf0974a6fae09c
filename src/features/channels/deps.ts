import type { Access } from '../../access/access.ts';
import type { Connector } from '../../channels/connect.ts';
import type { Key } from '../../kernel/seal.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type ChannelsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  openSecrets: OpenSecrets;
  connector: Connector;
};

/** Maximum number of channels of one agent. */
export const MAX_CHANNELS_PER_AGENT = 100;
