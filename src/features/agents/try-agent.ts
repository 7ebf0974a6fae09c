import type { AgentDefinition } from '../../../contract/agents.ts';
import type { PlaygroundBody, PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import type { AgentsDeps } from './deps.ts';
import { checkDefinition } from './check-definition.ts';
import { foundAgent } from './read-agents.ts';

/** A conversation that exists only in the request. */
export type Talk = {
  history: { role: 'agent' | 'end_user'; text: string }[];
  /** The person's messages since the agent's last turn; empty: the agent opens. */
  input: string[];
  state: unknown;
  variables: Record<string, unknown>;
  locale: string | null;
};

/** A person who reads the words while they are made, and may leave before the end. */
export type TalkReader = {
  words: { isRead(): boolean; add(text: string): void; takeBack(): void };
  signal: AbortSignal;
};

/** Asks the engine for one turn; worker/turns/play-turn.ts. */
export type PlayTurn = (
  orgId: string,
  agent: { id: string; name: string; revision: number; definition: AgentDefinition },
  talk: Talk,
  reader?: TalkReader,
) => Promise<PlaygroundTurn>;

/** The same turn as in a real conversation, from the draft or from a definition that is being edited. */
export async function tryAgent(
  { db, faults, playTurn }: AgentsDeps & { playTurn: PlayTurn },
  orgId: string,
  id: string,
  body: PlaygroundBody,
  reader?: TalkReader,
): Promise<PlaygroundTurn> {
  const agent = await foundAgent(db, orgId, id);
  const definition = body.definition ?? agent.draft;
  checkDefinition(definition, faults);
  const history = body.messages ?? [];
  const answered = history.findLastIndex(({ role }) => role === 'agent');
  return playTurn(
    orgId,
    { id, name: agent.name, revision: agent.revision, definition },
    {
      history,
      input: history.slice(answered + 1).map(({ text }) => text),
      state: body.state ?? null,
      variables: body.variables ?? {},
      locale: body.locale ?? null,
    },
    reader,
  );
}
