import type { PlaygroundBody, PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import type { AgentsDeps } from './deps.ts';
import { checkDefinition } from './check-definition.ts';
import { playOnce, refusing, type TalkReader } from './play-turn.ts';
import { trySilence } from './try-silence.ts';
import { foundAgent } from './read-agents.ts';
import { limitTries } from './try-limit.ts';

/** Runs a turn as in a real conversation, with the draft or with a definition that is being edited. */
export async function tryAgent(
  { db, answering }: Pick<AgentsDeps, 'db' | 'answering'>,
  orgId: string,
  id: string,
  body: PlaygroundBody,
  reader?: TalkReader,
): Promise<PlaygroundTurn> {
  const agent = await foundAgent(db, orgId, id);
  const definition = body.definition ?? agent.draft;
  checkDefinition(definition);
  const history = body.messages ?? [];
  const answered = history.findLastIndex(({ role }) => role === 'agent');
  const played = { id, name: agent.name, revision: agent.revision, definition };
  const talk = {
    history,
    input: history.slice(answered + 1).map(({ text }) => text),
    state: body.state ?? null,
    variables: body.variables ?? {},
    locale: body.locale ?? null,
  };
  if (body.silent_steps !== undefined) return trySilence(played, talk, body.silent_steps);
  const decideApproval = () => ({ approved: body.approvals !== 'deny' });
  return limitTries(orgId, () => refusing(playOnce(answering, orgId, played, talk, { reader, decideApproval })));
}
