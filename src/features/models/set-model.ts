import {
  MODEL_PROVIDERS,
  NO_EMBEDDINGS,
  NO_TRANSCRIPTS,
  type ModelProviderName,
  type ModelRecord,
  type SetModelBody,
} from '../../../contract/dashboard/models.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { touchAgents } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { modelCredential, sameAddresses, sealCredential, secretRequired } from '../../store/credentials.ts';
import { lockOrganization } from '../../store/documents.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { clearOtherTranscriptionModels } from '../../store/attachments/transcripts.ts';
import { clearOtherEmbeddingModels, readEmbeddingConnection } from '../../store/embeddings/read.ts';
import { deleteModel, lockModel, writeModel } from '../../store/models.ts';
import { clearOtherQuestionModels, QUESTIONS, readQuestionConnection } from '../../store/written-questions.ts';
import type { ModelsDeps } from './deps.ts';
import { presentModel } from './list-models.ts';

/**
 * Stores the URL and the key of a provider. Absent fields do not change. The key is sealed, never shown again, and
 * bound to its URL. With another URL, the key must be entered again or be removed (`null`).
 */
export async function setModel(
  { db, egress, sealingKey }: ModelsDeps,
  orgId: string,
  name: string,
  body: SetModelBody,
  actor: Actor,
): Promise<ModelRecord> {
  const { base_url: baseUrl, key, embedding_model: embedding, transcription_model: transcription } = body;
  const provider = readProvider(name);
  if (provider === 'anthropic' && embedding != null) throw invalidAt('/embedding_model', 'unsupported', NO_EMBEDDINGS);
  if (provider === 'anthropic' && transcription != null) {
    throw invalidAt('/transcription_model', 'unsupported', NO_TRANSCRIPTS);
  }
  if (baseUrl != null) await checkAddress(egress, '/base_url', baseUrl);
  return db.transaction(async (tx) => {
    // A document that is being added waits for this lock, and is then queued for the new model or for no model.
    await lockOrganization(tx, orgId);
    const before = await lockModel(tx, orgId, provider);
    const nextUrl = baseUrl === undefined ? (before?.baseUrl ?? null) : baseUrl;
    const credential = modelCredential({ orgId, provider, baseUrl: nextUrl });
    let sealedKey = before?.sealedKey ?? null;
    if (before && sealedKey !== null && key === undefined && !sameAddresses(modelCredential(before), credential)) {
      throw new Refusal('validation_failed', undefined, { errors: [secretRequired('/key')] });
    }
    if (key !== undefined) sealedKey = key && (await sealCredential(tx, sealingKey, credential, key));
    if (provider === 'openai_compatible' && nextUrl === null) {
      throw invalidAt(
        '/base_url',
        'required',
        'An OpenAI-compatible server needs a base URL, e.g. http://127.0.0.1:11434/v1.',
      );
    }
    if (provider !== 'openai_compatible' && sealedKey === null) {
      throw invalidAt('/key', 'required', 'This provider needs an API key.');
    }
    const embeddingModel = embedding === undefined ? (before?.embeddingModel ?? null) : embedding;
    const isSame = embeddingModel === (before?.embeddingModel ?? null) && nextUrl === (before?.baseUrl ?? null);
    const embeddingDimensions = isSame ? (before?.embeddingDimensions ?? null) : null;
    if (embeddingModel !== null) await clearOtherEmbeddingModels(tx, orgId, provider);
    const transcriptionModel = transcription === undefined ? (before?.transcriptionModel ?? null) : transcription;
    if (transcriptionModel !== null) await clearOtherTranscriptionModels(tx, orgId, provider);
    const questionModel = body.question_model === undefined ? (before?.questionModel ?? null) : body.question_model;
    if (questionModel !== null) await clearOtherQuestionModels(tx, orgId, provider);
    const row = await writeModel(tx, {
      orgId,
      provider,
      baseUrl: nextUrl,
      sealedKey,
      embeddingModel,
      embeddingDimensions,
      transcriptionModel,
      questionModel,
    });
    if (!isSame) await EMBEDDINGS.queueAllDocuments(tx, orgId);
    else if (embeddingModel !== null) await EMBEDDINGS.retryAllFailed(tx, orgId);
    if (questionModel !== (before?.questionModel ?? null)) await QUESTIONS.queueAllDocuments(tx, orgId);
    else if (questionModel !== null) await QUESTIONS.retryAllFailed(tx, orgId);
    await touchAgents(tx, orgId);
    const facts = {
      base_url: nextUrl,
      key_changed: key !== undefined,
      ...(embedding !== undefined && { embedding_model: embedding }),
      ...(transcription !== undefined && { transcription_model: transcription }),
      ...(body.question_model !== undefined && { question_model: body.question_model }),
    };
    await recordAudit(tx, { orgId, actor, action: 'model.set', subjectId: provider, facts });
    return presentModel(row);
  });
}

export async function removeModel(
  { db }: Pick<ModelsDeps, 'db'>,
  orgId: string,
  name: string,
  actor: Actor,
): Promise<void> {
  const provider = readProvider(name);
  await db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    if (!(await deleteModel(tx, orgId, provider))) throw unknownProvider();
    if ((await readEmbeddingConnection(tx, orgId)) === null) await EMBEDDINGS.queueAllDocuments(tx, orgId);
    if ((await readQuestionConnection(tx, orgId)) === null) await QUESTIONS.queueAllDocuments(tx, orgId);
    await touchAgents(tx, orgId);
    await recordAudit(tx, { orgId, actor, action: 'model.removed', subjectId: provider });
  });
}

export function readProvider(name: string): ModelProviderName {
  if ((MODEL_PROVIDERS as readonly string[]).includes(name)) return name as ModelProviderName;
  throw unknownProvider();
}

export const unknownProvider = (): Refusal =>
  new Refusal('route_not_found', `There is no such model provider here. Providers: ${MODEL_PROVIDERS.join(', ')}.`);
