import {
  MAX_MISSED,
  MISSED_DAYS,
  type MissedQuestion,
  type MissedQuestions,
} from '../../../contract/dashboard/questions.ts';
import { detectLanguage } from '../../engine/embedded/detect-language.ts';
import { groupQuestions } from '../../engine/knowledge/group-questions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Missed, readMissed, closeMissed } from '../../store/conversations/missed-questions.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

const DAY_MS = 86_400_000;
const MAX_EXAMPLES = 5;

type Deps = Pick<AgentsDeps, 'db'>;

/** Lists the questions that the agent could not answer, by topic, the most frequent topic first. */
export async function listMissedQuestions({ db }: Deps, orgId: string, id: string): Promise<MissedQuestions> {
  await foundAgent(db, orgId, id);
  return byTopic({ db }, orgId, id);
}

/**
 * Lists the unanswered questions of all agents by topic. A member who answers one of the questions writes a document of
 * its agent.
 */
export const listAllMissedQuestions = (deps: Deps, orgId: string): Promise<MissedQuestions> =>
  byTopic(deps, orgId, null);

async function byTopic({ db }: Deps, orgId: string, id: string | null): Promise<MissedQuestions> {
  const since = new Date(Date.now() - MISSED_DAYS * DAY_MS);
  const found = await readMissed(db, orgId, id, since, MAX_MISSED + 1);
  const groups: Missed[][] = [];
  for (const asked of Map.groupBy(found.slice(0, MAX_MISSED), ({ agentId }) => agentId).values())
    groups.push(...(await groupQuestions(asked)));
  const data = groups.toSorted((a, b) => b.length - a.length || b[0]!.at.getTime() - a[0]!.at.getTime()).map(present);
  return { data, has_more: found.length > MAX_MISSED };
}

const present = (members: Missed[]): MissedQuestion => ({
  agent_id: members[0]!.agentId,
  question: members[0]!.text,
  count: members.length,
  languages: [...new Set(members.flatMap(({ text }) => detectLanguage(text, null) ?? []))],
  last_at: timestamp(members[0]!.at),
  message_ids: members.map(({ messageId }) => messageId),
  examples: members.slice(0, MAX_EXAMPLES).map((one) => ({
    text: one.text,
    conversation_id: one.conversationId,
    end_user_id: one.endUserId,
    at: timestamp(one.at),
  })),
});

/**
 * This function is called when a question was answered or needs no answer. The question is removed from the list until
 * a person asks it again.
 */
export async function settleMissedQuestions(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  id: string,
  messageIds: readonly string[],
): Promise<{ settled: number }> {
  await foundAgent(db, orgId, id);
  return { settled: await closeMissed(db, orgId, id, messageIds) };
}
