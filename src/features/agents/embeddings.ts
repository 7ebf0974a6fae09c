import type { EmbeddingProgress, ModelProviderName } from '../../../contract/dashboard/models.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { readEmbeddingConnection } from '../../store/embeddings/read.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Queryable } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { QUESTIONS, readQuestionConnection } from '../../store/written-questions.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

export async function readEmbeddings(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  agentId: string,
): Promise<EmbeddingProgress> {
  await foundAgent(db, orgId, agentId);
  const connection = await readEmbeddingConnection(db, orgId);
  const state = await EMBEDDINGS.readState(db, orgId, agentId);
  return {
    model: connection && {
      provider: connection.provider as ModelProviderName,
      name: connection.embeddingModel,
      dimensions: connection.embeddingDimensions,
    },
    passages: state.passages,
    embedded: state.done,
    documents: {
      all: state.documents,
      done: state.finished,
      uncounted: state.documents - state.counted,
      failed: state.failed,
    },
    fault: state.fault,
    next_at: state.nextAt,
    questions: await readQuestions(db, orgId, agentId),
  };
}

async function readQuestions(db: Queryable, orgId: string, agentId: string): Promise<EmbeddingProgress['questions']> {
  const connection = await readQuestionConnection(db, orgId);
  const { passages, done, failed, fault, nextAt } = await QUESTIONS.readState(db, orgId, agentId);
  return {
    model: connection && { provider: connection.provider as ModelProviderName, name: connection.questionModel },
    passages,
    written: done,
    failed,
    fault,
    next_at: nextAt,
  };
}

/** Retries documents that failed or that wait after a failure, without a delay. */
export async function retryEmbeddings(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  agentId: string,
  actor: Actor,
): Promise<EmbeddingProgress> {
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    const documents =
      (await EMBEDDINGS.retryFailed(tx, orgId, agentId)) + (await QUESTIONS.retryFailed(tx, orgId, agentId));
    if (documents === 0) return;
    await recordAudit(tx, { orgId, actor, action: 'embeddings.retried', subjectId: agentId, facts: { documents } });
  });
  return readEmbeddings({ db }, orgId, agentId);
}
