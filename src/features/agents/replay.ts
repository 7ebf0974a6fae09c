import type { AgentDefinition } from '../../../contract/agents.ts';
import type { ReplayBody, ReplayResult } from '../../../contract/dashboard/replay.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type RecordedConversation, readRecordedConversation } from '../../store/conversations/read-recorded.ts';
import type { AgentsDeps } from './deps.ts';
import { chosenDefinition } from './chosen-definition.ts';
import { foundAgent } from './read-agents.ts';

/** Plays the turns of a recorded conversation; worker/turns/replay-conversation.ts. */
export type Replay = (
  orgId: string,
  agent: { id: string; name: string; revision: number; published: AgentDefinition; definition: AgentDefinition },
  recorded: RecordedConversation,
) => Promise<ReplayResult>;

/** More messages than the turns that one replay plays usually have. */
const MAX_MESSAGES = 200;

/**
 * What a definition would answer in a conversation that has been, beside what was answered. Nothing is sent, nothing is
 * stored, and tools answer what they answered then.
 */
export async function replayConversation(
  { db, replay }: Pick<AgentsDeps, 'db'> & { replay: Replay },
  orgId: string,
  id: string,
  { conversation_id: conversationId, version }: ReplayBody,
): Promise<ReplayResult> {
  const agent = await foundAgent(db, orgId, id);
  const definition = await chosenDefinition(db, agent, version);
  const recorded = await readRecordedConversation(db, orgId, id, conversationId, MAX_MESSAGES);
  if (!recorded) throw new Refusal('conversation_not_found');
  const { name, revision, published } = agent;
  return replay(orgId, { id, name, revision, published, definition }, recorded);
}
