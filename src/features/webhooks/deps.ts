import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type WebhooksDeps = {
  db: Db;
  /** Checks whether a call to a URL would be refused. */
  egress: Pick<Egress, 'check'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
  /** This function is called when a delivery is due. */
  wake: { events(): void };
};
