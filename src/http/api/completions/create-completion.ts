import type { FastifyRequest } from 'fastify';
import { Completion, CompletionCall, MAX_COMPLETION_KEYS } from '../../../../contract/completions.ts';
import { COMPLETION_WAIT_SECONDS } from '../../../../contract/limits.ts';
import { Refusal } from '../../../../contract/problems.ts';
import { holds } from '../../../access/decide.ts';
import type { Admission, Need } from '../../../access/types.ts';
import { awaitFirstTurn, keepAnswer } from '../../../features/triggers/await-first-turn.ts';
import { chooseTrigger } from '../../../features/triggers/callable-agents.ts';
import { startConversation, type StartConversation } from '../../../features/triggers/start-conversation.ts';
import { callerLeft } from '../../edge/caller-left.ts';
import { metaOf } from '../../edge/request-meta.ts';
import { waitedSeconds } from '../../route/prefer-wait.ts';
import type { Route } from '../../route/route.ts';
import { reachedByTrigger } from '../reached-end-user.ts';
import type { TriggerRoutesDeps } from '../triggers/deps.ts';
import { completion, completionCall } from './examples.ts';
import { answerPending, nameRun, presentCompletion } from './present-completion.ts';
import { peopleOf, readCall } from './read-call.ts';
import { streamCompletion } from './stream-completion.ts';

const AGENT: Need = { permission: 'triggers', agent: 'agent_id' };
const TRIGGER: Need = { ...AGENT, trigger: 'trigger_id' };

const operation: Route['operation'] = {
  id: 'createCompletion',
  summary: 'Create a chat completion',
  description:
    'Sends a message to an agent and waits for its answer, in the format of the API of OpenAI. `stream: true` answers with a stream of `chat.completion.chunk`. The call starts a run of a trigger. The agent is in the body, so rows 9 to 11 of the order of checks follow row 14.',
  tag: 'OpenAI',
  example: completionCall,
  examples: { 200: completion },
};

/**
 * Sends a message to an agent, for clients of OpenAI's API. A completion is a call of a trigger that waits for its
 * answer.
 */
export const createCompletionRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/openai/v1/chat/completions',
  access: { permission: 'triggers' },
  limit: 'triggers',
  reaches: (body: CompletionCall) => reachedByTrigger(peopleOf(body)),
  operation,
  body: CompletionCall,
  bodyKeys: MAX_COMPLETION_KEYS,
  idempotent: true,
  headers: {
    Prefer: {
      description: `\`wait=N\` waits at most N seconds (1 to ${COMPLETION_WAIT_SECONDS}, the default) for the answer (RFC 7240). Then the response is 504 \`answer_pending\`.`,
    },
  },
  responses: {
    200: {
      schema: Completion,
      description: 'The answer, or a stream of it that ends with `[DONE]`.',
      headers: { Location: 'The URL of the run.' },
    },
  },
  problems: [
    'agent_mismatch',
    'agent_not_found',
    'trigger_not_found',
    'run_not_found',
    'agent_disabled',
    'trigger_disabled',
    'channel_disabled',
    'already_exists',
    'run_failed',
    'answer_pending',
  ],
  async handle(request, reply) {
    const body = request.body as CompletionCall;
    const input = await inputOf(deps, request, body);
    if (body.stream) return streamCompletion(deps, input, TRIGGER, request, reply);
    const started = await startConversation(deps, input);
    nameRun(reply, started, deps.baseUrl);
    if (started.answer.status === 200) return started.answer.body;
    const seconds = waitedSeconds(request, COMPLETION_WAIT_SECONDS) ?? COMPLETION_WAIT_SECONDS;
    const ended = AbortSignal.any([callerLeft(reply), request.server.draining]);
    const run = await awaitFirstTurn(deps, started, seconds * 1_000, ended);
    if (run === null) throw answerPending(started.run.id, input.idempotency !== null);
    const { agent, trigger } = input.target;
    // The key may have been revoked during the wait.
    await admit(deps, request, TRIGGER, { agent_id: agent.id, trigger_id: trigger.id });
    const answer = JSON.stringify(presentCompletion(run));
    await keepAnswer(deps, started, input.idempotency, answer);
    return answer;
  },
});

/** The body contains the agent, so this function decides rows 9 to 11 of the order of checks (docs/security.md). */
async function inputOf(
  deps: TriggerRoutesDeps,
  request: FastifyRequest,
  body: CompletionCall,
): Promise<StartConversation> {
  const { orgId } = request.admission.caller;
  const { agent } = await admit(deps, request, AGENT, { agent_id: body.model });
  const { call, earlier, triggerId } = readCall(body);
  const params = { agent_id: body.model, trigger_id: triggerId ?? (await chooseTrigger(deps, orgId, body.model)) };
  const { caller, from, trigger } = await admit(deps, request, TRIGGER, params);
  const channel = agent!.sandboxChannelId;
  if (channel === null) throw new Refusal('channel_disabled', 'The agent has no sandbox channel. Connect one.');
  return {
    target: { orgId, agent: agent!, trigger: trigger! },
    call: { ...call, channel: { id: channel } },
    earlier,
    keyId: caller.keyId,
    from,
    fillsOnly: !holds(caller, 'end_users'),
    requestId: request.requestId,
    trace: metaOf(request.raw)?.span?.traceparent,
    idempotency: request.idempotency,
  };
}

type InBody = { agent_id: string; trigger_id?: string };

async function admit(
  { access }: Pick<TriggerRoutesDeps, 'access'>,
  request: FastifyRequest,
  need: Need,
  inBody: InBody,
): Promise<Admission> {
  try {
    return await access.admit(metaOf(request.raw)!.authorization, need, inBody, request.ip);
  } catch (error) {
    const detail = error instanceof Refusal ? DETAILS[error.code] : undefined;
    throw detail === undefined ? error : new Refusal((error as Refusal).code, detail, (error as Refusal).extras);
  }
}

/** The usual texts of the listed refusals say that the IDs are in the path. */
const DETAILS: Readonly<Record<string, string>> = {
  agent_not_found: 'No agent of this organization has the ID in `model`.',
  trigger_not_found: 'No trigger of this agent has the ID in `metadata.trigger`.',
};
