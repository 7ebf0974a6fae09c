import { MAX_WORDINGS, MAX_WORDINGS_OF_PASSAGE } from '../../contract/dashboard/wordings.ts';
import { digestOf, questionKey } from '../engine/knowledge/question-key.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { CompletedTurn } from '../store/runs/complete.ts';
import type { Db } from '../store/db.ts';
import { addTap } from '../store/wordings.ts';

const MAX_QUOTE = 300;
/** On a web chat, one visitor can pretend to be many people, so a part of the limits is reserved for members. */
const PEOPLES_SHARE = 0.5;

/**
 * Runs after the turn was stored, and records which section the person chose when the agent asked back. A choice that
 * is lost in a crash is not repeated, because a choice counts only together with choices of other people.
 */
export async function learnFromChoice(db: Db, run: ClaimedRun, { messages }: CompletedTurn): Promise<void> {
  for (const { trace, sources } of messages) {
    const chosen = trace?.steps.find(({ kind }) => kind === 'chosen');
    if (chosen === undefined) continue;
    const [documentId, passage, question, label] = ['document_id', 'passage', 'question', 'label'].map((name) => {
      const value = chosen[name];
      return typeof value === 'string' ? value : null;
    });
    const words = questionKey(question ?? '');
    if (!documentId || !passage || !question || words === '') continue;
    const tap = {
      agentId: run.agent_id,
      documentId,
      passage: Buffer.from(passage, 'hex'),
      words: Buffer.from(digestOf(words), 'hex'),
      question,
      heading: label ?? null,
      quote: (sources[0]?.quote ?? '').slice(0, MAX_QUOTE),
      endUserId: run.end_user.id,
    };
    const most = { agent: MAX_WORDINGS * PEOPLES_SHARE, passage: MAX_WORDINGS_OF_PASSAGE * PEOPLES_SHARE };
    await db.transaction((tx) => addTap(tx, run.org_id, tap, most));
  }
}
