import {
  type AddWordingBody,
  type LearnedQuestion,
  MAX_WORDINGS,
  MAX_WORDINGS_OF_PASSAGE,
  type SuggestedPassages,
  type SuggestPassagesQuery,
  type WordingRecord,
} from '../../../contract/dashboard/wordings.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { digestOf, passageKey, questionKey } from '../../engine/knowledge/question-key.ts';
import { passagesOf } from '../../engine/knowledge/split-document.ts';
import type { Passage } from '../../engine/provider.ts';
import { timestamp } from '../../kernel/clock.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { changeAgent } from '../../store/agents/write.ts';
import type { Queryable } from '../../store/db.ts';
import { readDocument } from '../../store/documents.ts';
import { lockEndUsers } from '../../store/end-users/lock-end-users.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import {
  countWordings,
  dropWordings,
  listWordings as listRows,
  putWording,
  readReplyAfter,
  readWordedPassages,
  removeWording as removeRow,
  type WordingRow,
} from '../../store/wordings.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';
import { limitTries } from './try-limit.ts';

type Reads = Pick<AgentsDeps, 'db'>;

/** The number of passages that are suggested for the reply, and for the question. */
const MAX_SUGGESTED = 4;
const MAX_REPLY = 2_000;
const MAX_QUOTE = 300;
/** At most this many passages learn one question. An answer quotes at most this many passages. */
const MAX_LEARNED_PASSAGES = 5;

export async function listWordings(
  { db }: Reads,
  orgId: string,
  agentId: string,
  page: PageRequest,
): Promise<PageOf<WordingRecord>> {
  await foundAgent(db, orgId, agentId);
  const { rows, hasMore } = await listRows(db, orgId, agentId, page);
  return { rows: rows.map(present), hasMore };
}

/**
 * Suggests passages that a member may choose for a question, which are similar to a member's reply or to the question.
 */
export async function suggestPassages(
  { db, answering }: Pick<AgentsDeps, 'db' | 'answering'>,
  orgId: string,
  agentId: string,
  { question, message_id: messageId }: SuggestPassagesQuery,
): Promise<SuggestedPassages> {
  const agent = await foundAgent(db, orgId, agentId);
  const reply = messageId === undefined ? null : await readReplyAfter(db, orgId, agentId, messageId);
  const { knowledge } = await answering.loadAgent(orgId, agentId, agent.revision);
  const found = new Map<string, SuggestedPassages['passages'][number]>();
  for (const text of [reply?.slice(0, MAX_REPLY), question]) {
    if (text === undefined) continue;
    const findings = await limitTries(orgId, () => knowledge.rank(text));
    for (const { passage } of findings.slice(0, MAX_SUGGESTED)) found.set(passageKey(passage), suggested(passage));
  }
  return { reply, passages: [...found.values()] };
}

const suggested = (passage: Passage): SuggestedPassages['passages'][number] => ({
  document_id: passage.document_id,
  document: passage.document,
  heading: passage.heading,
  passage: passageKey(passage),
  text: passage.text,
});

/** Adds a wording, so that the passage answers this question. */
export async function addWording(
  { db }: Reads,
  orgId: string,
  agentId: string,
  { question, document_id: documentId, passage: key, from }: AddWordingBody,
  actor: Actor,
): Promise<{ id: string }> {
  const words = questionKey(question);
  if (words === '')
    throw invalidAt('/question', 'required', 'The question contains no word that distinguishes it from others.');
  return db.transaction(async (tx) => {
    if (!(await holdAsker(tx, orgId, from))) throw invalidAt('/from', 'not_found', 'This person was erased.');
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    const document = await readDocument(tx, orgId, agentId, documentId);
    if (!document) throw new Refusal('document_not_found');
    const passage = passageIn(document, key);
    if (passage === null)
      throw invalidAt('/passage', 'not_found', 'The document has changed. Choose the passage again.');
    const many = await countWordings(tx, orgId, agentId, Buffer.from(key, 'hex'));
    if (many.agent >= MAX_WORDINGS || many.passage >= MAX_WORDINGS_OF_PASSAGE)
      throw invalidAt('', 'too_many', 'There are too many learned questions: remove one first.');
    const id = await putWording(tx, orgId, {
      agentId,
      documentId,
      passage: Buffer.from(key, 'hex'),
      words: Buffer.from(digestOf(words), 'hex'),
      question,
      heading: passage.heading,
      quote: passage.text.slice(0, MAX_QUOTE),
      endUserId: from ?? null,
    });
    await changeAgent(tx, orgId, agentId, {});
    const facts = { agent_id: agentId, document_id: documentId };
    await recordAudit(tx, { orgId, actor, action: 'wording.created', subjectId: id, facts });
    return { id };
  });
}

/**
 * Checks whether the question may be stored. The words of an erased person must not return from a page that a member
 * still has open. The person is locked before the agent, as in an erasure.
 */
export const holdAsker = async (tx: Queryable, orgId: string, from: string | undefined): Promise<boolean> =>
  from === undefined || (await lockEndUsers(tx, orgId, [from])).has(from);

type NewDocument = { id: string; agentId: string; name: string; text: string };

/**
 * After a member has written a document as the answer to a question, the question is added to its passages. A question
 * without a distinguishing word, or above the limits, is not added. The document is saved even if the question is not
 * added.
 */
export async function learnForDocument(
  tx: Queryable,
  orgId: string,
  { id: documentId, agentId, name, text }: NewDocument,
  { question, from }: LearnedQuestion,
): Promise<void> {
  const words = questionKey(question);
  if (words === '') return;
  let learned = 0;
  for (const passage of passagesOf({ id: documentId, name, text })) {
    if (learned === MAX_LEARNED_PASSAGES) return;
    if (passage === null) continue;
    const key = Buffer.from(passageKey(passage), 'hex');
    if ((await countWordings(tx, orgId, agentId, key)).agent >= MAX_WORDINGS) return;
    await putWording(tx, orgId, {
      agentId,
      documentId,
      passage: key,
      words: Buffer.from(digestOf(words), 'hex'),
      question,
      heading: passage.heading,
      quote: passage.text.slice(0, MAX_QUOTE),
      endUserId: from ?? null,
    });
    learned++;
  }
}

export async function removeWording(
  { db }: Reads,
  orgId: string,
  agentId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    if (!(await removeRow(tx, orgId, agentId, id))) throw new Refusal('wording_not_found');
    await changeAgent(tx, orgId, agentId, {});
    await recordAudit(tx, { orgId, actor, action: 'wording.deleted', subjectId: id, facts: { agent_id: agentId } });
  });
}

/** After a sync changed a document, its wordings stay as long as their passages stay. */
export async function keepWordings(tx: Queryable, orgId: string, id: string, text: string): Promise<void> {
  const gone = new Set(await readWordedPassages(tx, orgId, id));
  if (gone.size === 0) return;
  for (const passage of passagesOf({ id, name: '', text })) if (passage !== null) gone.delete(passageKey(passage));
  await dropWordings(tx, orgId, id, [...gone]);
}

function passageIn(document: { id: string; name: string; text: string }, key: string): Passage | null {
  for (const passage of passagesOf(document)) if (passage !== null && passageKey(passage) === key) return passage;
  return null;
}

const present = (row: WordingRow): WordingRecord => ({
  id: row.id,
  agent_id: row.agentId,
  document_id: row.documentId,
  document: row.document,
  heading: row.heading,
  quote: row.quote,
  question: row.question,
  origin: row.origin,
  created_at: timestamp(row.createdAt),
});
