import type { ModelRecord } from '../../../contract/dashboard/models.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listModels as listRows, type ModelRow } from '../../store/models.ts';
import type { ModelsDeps } from './deps.ts';

export const listModels = async ({ db }: Pick<ModelsDeps, 'db'>, orgId: string): Promise<ModelRecord[]> =>
  (await listRows(db, orgId)).map(presentModel);

export const presentModel = (row: ModelRow): ModelRecord => ({
  provider: row.provider as ModelRecord['provider'],
  base_url: row.baseUrl,
  has_key: row.sealedKey !== null,
  embedding_model: row.embeddingModel,
  embedding_dimensions: row.embeddingDimensions,
  transcription_model: row.transcriptionModel,
  question_model: row.questionModel,
  updated_at: timestamp(row.updatedAt),
});
