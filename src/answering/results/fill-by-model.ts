import { CODE_PROVIDER } from '../../../contract/turns.ts';
import type { TurnRequest, TurnResult } from '../../engine/provider.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { openFields } from './collect-result.ts';
import { findValues, type Found } from './find-values.ts';

/** The outcome if no model was called, because no field is open. */
const NOT_ASKED = { values: undefined, steps: [] };

/**
 * When a run ends or is handed over, the model of its agent fills the fields that have no value. The message of the
 * last turn waits for the model, so that the event contains the whole result. If the person has sent no message, no
 * model is called.
 */
export async function fillByModel(
  run: ClaimedRun,
  { agent, provider }: LoadedAgent,
  request: TurnRequest,
  { next, state, messages, opted_out: hasLeft, result }: TurnResult,
  traced?: Span,
): Promise<Found | typeof NOT_ASKED> {
  const { provider: name = 'embedded' } = agent.definition;
  // The customer's own code returns the values with its answer.
  if (result !== undefined) return { values: result, steps: [] };
  if (name === CODE_PROVIDER) return NOT_ASKED;
  const hasSpoken = request.history.some(({ role }) => role === 'end_user');
  if (next === 'waiting_for_user' || hasLeft || name === 'embedded' || !hasSpoken) return NOT_ASKED;
  const fields = openFields(agent.definition, run, state);
  if (fields.length === 0) return NOT_ASKED;
  const texts = messages.map(({ content }) => ('text' in content && content.text) || '');
  const span = traced?.child('fill result', 'internal');
  const found = await findValues(
    { request: { ...request, ...(span && { span }) }, provider, agentTexts: texts },
    fields,
  );
  span?.end(found.values === null ? 'result_failed' : null);
  return found;
}
