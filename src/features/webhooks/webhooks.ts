import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type WebhooksDeps = {
  db: Db;
  /** Says what a call to an address would be refused with. */
  egress: Pick<Egress, 'check'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** A delivery became due. */
  onDelivery: () => void;
};
