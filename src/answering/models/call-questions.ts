import type { PassageToAsk } from '../../engine/providers/write-questions.ts';
import type { QuestionConnection } from '../../store/written-questions.ts';
import { callConnection, type ConnectionDeps } from './call-connection.ts';
import { BATCH_TIMEOUT_MS, forDocuments } from './call-embeddings.ts';

/** The limit covers five short questions for each passage. Some models also write reasoning, which needs tokens. */
const TOKENS_OF_PASSAGE = 400;

/** Asks the connected model for questions that the passages answer. The SDK is loaded with the first call. */
export async function callQuestions(
  deps: ConnectionDeps,
  connection: QuestionConnection,
  agentId: string,
  passages: readonly PassageToAsk[],
  signal: AbortSignal,
): Promise<string[][]> {
  const { questionModel: model, orgId } = connection;
  const { writeQuestionsFor, promptOf, QUESTIONS_MAX_BYTES, TASK } =
    await import('../../engine/providers/write-questions.ts');
  const outputTokens = TOKENS_OF_PASSAGE * passages.length;
  const call = {
    model,
    caller: forDocuments(orgId, agentId),
    // A token has at least one byte.
    inputTokens: Buffer.byteLength(TASK) + Buffer.byteLength(promptOf(passages)),
    outputTokens,
    timeoutMs: BATCH_TIMEOUT_MS,
    maxBytes: QUESTIONS_MAX_BYTES,
  };
  return callConnection(deps, connection, call, async (settings) => {
    const asked = { settings, model, passages, maxOutputTokens: outputTokens, timeoutMs: BATCH_TIMEOUT_MS, signal };
    const { questions, ...used } = await writeQuestionsFor(asked);
    return { result: questions, ...used };
  });
}
