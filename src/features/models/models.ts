import type { ModelRecord } from '../../../contract/dashboard/models.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { listModels as listRows, type ModelRow } from '../../store/models.ts';

/** The dependencies of the verbs in this folder. */
export type ModelsDeps = {
  db: Db;
  /** Checks whether a call to a URL would be refused. */
  egress: Pick<Egress, 'check'>;
  /** Wraps the organizations' data keys. */
  sealingKey: Key;
};

export const listModels = async ({ db }: Pick<ModelsDeps, 'db'>, orgId: string): Promise<ModelRecord[]> =>
  (await listRows(db, orgId)).map(presentModel);

export const presentModel = (row: ModelRow): ModelRecord => ({
  provider: row.provider as ModelRecord['provider'],
  base_url: row.baseUrl,
  has_key: row.sealedKey !== null,
  updated_at: timestamp(row.updatedAt),
});
