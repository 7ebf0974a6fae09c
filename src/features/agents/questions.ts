import {
  MAX_MISSED,
  MISSED_DAYS,
  type MissedQuestion,
  type MissedQuestions,
} from '../../../contract/dashboard/questions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Missed, readMissed, settleMissed } from '../../store/conversations/missed.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

const DAY_MS = 86_400_000;
const MAX_EXAMPLES = 5;

/** engine/knowledge/group-questions.ts, and the language of a text. */
export type Questions = {
  group(asked: readonly Missed[]): Promise<Missed[][]>;
  languageOf(text: string): string | null;
};
type Deps = Pick<AgentsDeps, 'db'> & { questions: Questions };

/** What the agent could not answer, by topic, the most frequent first. */
export async function listMissedQuestions(
  { db, questions }: Deps,
  orgId: string,
  id: string,
): Promise<MissedQuestions> {
  await foundAgent(db, orgId, id);
  const since = new Date(Date.now() - MISSED_DAYS * DAY_MS);
  const found = await readMissed(db, orgId, id, since, MAX_MISSED + 1);
  const groups = await questions.group(found.slice(0, MAX_MISSED));
  const present = (members: Missed[]): MissedQuestion => ({
    question: members[0]!.text,
    count: members.length,
    languages: [...new Set(members.flatMap(({ text }) => questions.languageOf(text) ?? []))],
    last_at: timestamp(members[0]!.at),
    message_ids: members.map(({ messageId }) => messageId),
    examples: members.slice(0, MAX_EXAMPLES).map((one) => ({
      text: one.text,
      conversation_id: one.conversationId,
      end_user_id: one.endUserId,
      at: timestamp(one.at),
    })),
  });
  // The sort is stable: of equal ones the newest comes first.
  const data = groups.toSorted((a, b) => b.length - a.length).map(present);
  return { data, has_more: found.length > MAX_MISSED };
}

/** Answered, or not worth an answer: out of the list until someone asks again. */
export async function settleMissedQuestions(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  id: string,
  messageIds: readonly string[],
): Promise<{ settled: number }> {
  await foundAgent(db, orgId, id);
  return { settled: await settleMissed(db, orgId, id, messageIds) };
}
