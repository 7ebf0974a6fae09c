import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_WAIT_SECONDS } from '../../../../contract/limits.ts';
import { AcceptedRun, AnsweredRun, DryRun, TriggerCall } from '../../../../contract/triggers.ts';
import { Type } from 'typebox';
import { holds } from '../../../access/decide.ts';
import { callOfClient } from '../../../features/triggers/client-call.ts';
import type { CallTarget } from '../../../features/triggers/trigger-call.ts';
import { awaitAnswer } from '../../../features/triggers/await-answer.ts';
import { expectRun } from '../../../features/triggers/follow-run.ts';
import { previewCall } from '../../../features/triggers/preview-call.ts';
import { startConversation, type Started } from '../../../features/triggers/start-conversation.ts';
import { RUN_EVENTS } from '../../../../contract/run-events.ts';
import { asksForStream } from '../../route/asks-for-stream.ts';
import { waitedSeconds } from '../../route/prefer-wait.ts';
import { callerLeft } from '../../edge/caller-left.ts';
import { metaOf } from '../../edge/request-meta.ts';
import type { Route, RouteAccess } from '../../route/route.ts';
import { reachedByTrigger } from '../reached-end-user.ts';
import type { TriggerRoutesDeps } from './deps.ts';
import { acceptedRun, answeredRun, dryRun, runEvents } from './examples.ts';
import { STREAM_ANSWER, type StreamDeps, isStillGranted, streamRun } from './stream-run.ts';

const access: RouteAccess = { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id', client: true };

const operation: Route['operation'] = {
  id: 'startConversation',
  summary: 'Start a conversation',
  description: `Starts a conversation of the agent, or continues the one that \`conversation.key\` or \`conversation.id\` names. With \`message\` the agent's first turn answers it; without, the agent opens. The call is accepted once it is stored. From then on it is never lost. \`dry_run\` returns what would happen and stores nothing. A key without the permission \`end_users\` can find people, create people and fill empty fields. It does not change existing values, and \`unchanged\` lists the fields that it left.`,
  tag: 'Triggers',
  example: {
    end_user: { external_id: 'crm-42', name: 'Asha', email: 'asha@example.qa', locale: 'en' },
    variables: { order_id: 'A-1043' },
    conversation: { key: 'order-A-1043', on_existing: 'continue' },
  },
  examples: { 202: acceptedRun, 200: { answered: answeredRun, dry_run: dryRun } },
};

const headers: Route['headers'] = {
  Prefer: {
    description: `\`wait=N\` waits at most N seconds (1 to ${MAX_WAIT_SECONDS}) for the agent's first message, then answers 200 (RFC 7240).`,
    argument: {
      name: 'wait',
      schema: Type.Integer({
        minimum: 1,
        maximum: MAX_WAIT_SECONDS,
        description:
          "Waits at most this number of seconds for the agent's first message. The result then contains `messages`.",
      }),
      toHeader: (seconds) => `wait=${String(seconds)}`,
    },
  },
  Accept: {
    description:
      "`text/event-stream` answers 200 with a stream of the agent's words, until the end of its first turn. If no stream is free, the answer is 202.",
  },
};

const responses: Route['responses'] = {
  202: {
    schema: AcceptedRun,
    description: 'Accepted: stored. The agent sends its message as soon as possible.',
    headers: {
      Location: 'The URL of the run.',
      'Preference-Applied': '`wait=N` when a wait was asked for and ran out.',
    },
  },
  200: {
    schema: Type.Union([AnsweredRun, DryRun]),
    description: `With \`Prefer: wait\`: the agent has spoken. With \`dry_run\`: what would happen. With \`Accept: text/event-stream\`, a stream. ${STREAM_ANSWER}`,
    events: RUN_EVENTS,
    exampleEvents: runEvents,
  },
};

/** Starts or continues a conversation from a backend. An accepted call is committed. */
export const startConversationRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/triggers/:agent_id/:trigger_id',
  access,
  limit: 'triggers',
  reaches: reachedByTrigger,
  operation,
  body: TriggerCall,
  bodyOptional: true,
  idempotent: true,
  headers,
  responses,
  problems: [
    'agent_version_not_found',
    'agent_disabled',
    'trigger_disabled',
    'channel_disabled',
    'already_exists',
    'conversation_not_found',
  ],
  async handle(request, reply) {
    const { caller, from, agent, trigger } = request.admission;
    const { client } = caller;
    const body = request.body as TriggerCall;
    const call = client === undefined ? body : callOfClient(client, body);
    const target: CallTarget = { orgId: caller.orgId, agent: agent!, trigger: trigger! };
    const fillsOnly = !holds(caller, 'end_users');
    if (call.dry_run) return reply.code(200).send(await previewCall(deps, target, call, { fillsOnly }));
    const expected = asksForStream(request) ? await expectRun(deps, caller.orgId) : undefined;
    if (expected) reply.raw.once('close', expected.words.leave);
    const started = await startConversation(deps, {
      target,
      call,
      keyId: caller.keyId,
      from,
      fillsOnly,
      clientMark: client?.mark,
      requestId: request.requestId,
      trace: metaOf(request.raw)?.span?.traceparent,
      stream: expected && { runId: expected.runId, reader: expected.words.reader },
      idempotency: request.idempotency,
    });
    if (started.replayed) reply.header('idempotent-replayed', 'true');
    if (expected && started.answer.status < 300) {
      const liveDeltas = started.replayed ? deps.liveDeltas : expected.words;
      const streamed = await tryToStream({ ...deps, liveDeltas }, request, reply, started);
      if (streamed) return streamed;
    }
    const seconds = call.send_at ? 0 : (waitedSeconds(request, MAX_WAIT_SECONDS) ?? 0);
    const waited =
      started.answer.status === 202 && seconds > 0
        ? await awaitAnswer(deps, started, seconds * 1_000, request.idempotency, callerLeft(reply))
        : null;
    // The key may have been revoked during the wait. The call stays accepted.
    const asked = { need: access, params: request.params as Record<string, string> };
    const mayRead = waited !== null && (await isStillGranted(deps, asked, request).catch(() => false));
    const answer = mayRead ? waited : started.answer;
    if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`);
    return send(reply, answer, deps.baseUrl);
  },
});

/** The call is accepted and must not be refused, so a caller without a free stream gets the 202. */
async function tryToStream(
  deps: StreamDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, run }: Started,
): Promise<FastifyReply | null> {
  if (answer.location !== null) reply.header('location', deps.baseUrl + answer.location);
  try {
    const triggerId = request.admission.trigger!.id;
    return await streamRun(deps, access, request, reply, { triggerId, runId: run.id, until: 'answer' });
  } catch {
    return null;
  }
}

function send(reply: FastifyReply, answer: { status: number; location: string | null; body: string }, baseUrl: string) {
  if (answer.location !== null) reply.header('location', baseUrl + answer.location);
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body);
}
