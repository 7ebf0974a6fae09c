import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import type { RunResult } from '../../../contract/results.ts';
import { CODE_PROVIDER } from '../../../contract/turns.ts';
import { collectResult, openFields } from '../../answering/results/collect-result.ts';
import { findValues } from '../../answering/results/find-values.ts';
import { tryContext } from '../../answering/try-context.ts';
import { NO_KNOWLEDGE, type TurnRequest } from '../../engine/provider.ts';
import { PLAY_TIMEOUT_MS, type PlayedAgent, type PlayTurnDeps, type Stage, type Talk } from './play-turn.ts';

type Played = {
  talk: Talk;
  turn: PlaygroundTurn;
  /** The result after the earlier turns. */
  result: RunResult | null;
  stage: Stage;
  /** True: the test has an expectation about the result, so a model is called for it. */
  isExpected: boolean;
};

/** Returns the result after a turn of a test, filled as in a real conversation. */
export async function playResult(
  deps: PlayTurnDeps,
  orgId: string,
  agent: PlayedAgent,
  { talk, turn, result, stage, isExpected }: Played,
): Promise<RunResult> {
  const { definition } = agent;
  const before = { state: talk.state, result };
  const isOver = turn.next !== 'waiting_for_user';
  const { provider: name = 'embedded' } = definition;
  const hasModel = name !== 'embedded' && name !== CODE_PROVIDER;
  const fields = isExpected && isOver && hasModel ? openFields(definition, before, turn.state) : [];
  const after = { state: turn.state, isOver, ...(turn.result && { found: turn.result }) };
  if (fields.length === 0) return collectResult(definition, before, after, stage.now);
  const provider = await deps.findProvider(orgId, { definition }, stage);
  const texts = turn.messages.map(({ content }) => ('text' in content && content.text) || '');
  const request = requestOf(orgId, agent, talk, turn, stage);
  const { values: found } = await findValues({ request, provider, agentTexts: texts }, fields);
  return collectResult(definition, before, { ...after, found }, stage.now);
}

const requestOf = (
  orgId: string,
  { id, name, definition }: PlayedAgent,
  { locale, history }: Talk,
  { state }: PlaygroundTurn,
  { now }: Stage,
): TurnRequest => ({
  agent: { id, name, definition },
  locale,
  variables: {},
  end_user: { id: '', name: null, locale },
  history,
  input: [],
  state,
  knowledge: NO_KNOWLEDGE,
  now,
  context: tryContext(orgId, id),
  signal: AbortSignal.timeout(PLAY_TIMEOUT_MS),
});
