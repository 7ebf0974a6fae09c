import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompletionCall } from '../../../../contract/completions.ts';
import { COMPLETION_WAIT_SECONDS } from '../../../../contract/limits.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { AcceptedRun } from '../../../../contract/triggers.ts';
import { awaitFirstTurn, triggerOf } from '../../../features/triggers/await-first-turn.ts';
import { expectRun, followRun } from '../../../features/triggers/follow-run.ts';
import { readRun } from '../../../features/triggers/read-runs.ts';
import {
  startConversation,
  type StartConversation,
  type Started,
} from '../../../features/triggers/start-conversation.ts';
import { problemBody } from '../../edge/problems.ts';
import { formatOf } from '../../edge/problem-formats.ts';
import type { EventStream } from '../../route/event-stream.ts';
import type { Need } from '../../../access/types.ts';
import type { TriggerRoutesDeps } from '../triggers/deps.ts';
import { openRunStream } from '../triggers/stream-run.ts';
import { createChunks, type SendData } from './completion-chunks.ts';
import { answerPending, nameRun } from './present-completion.ts';

/** Accepts the call, then sends the answer in chunks while it is written. */
export async function streamCompletion(
  deps: TriggerRoutesDeps,
  input: StartConversation,
  need: Need,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { orgId, agent, trigger } = input.target;
  const expected = await expectRun(deps, orgId);
  reply.raw.once('close', expected.words.leave);
  const started = await startConversation(deps, {
    ...input,
    stream: { runId: expected.runId, reader: expected.words.reader },
  });
  nameRun(reply, started, deps.baseUrl);
  const liveDeltas = started.replayed ? deps.liveDeltas : expected.words;
  const run = { orgId, triggerId: triggerOf(started), runId: started.run.id };
  const chunksTo = (send: SendData) => createChunks(chunked(started, request), send);
  let stream: EventStream;
  try {
    const params = { agent_id: agent.id, trigger_id: trigger.id };
    stream = openRunStream(deps, { need, params }, request, reply);
  } catch {
    return sendAtOnce();
  }
  const fill = async (): Promise<void> => {
    const chunks = chunksTo(stream.sendData);
    const send = await followRun(
      { ...deps, liveDeltas },
      { ...run, clientMark: undefined, after: null, until: 'answer' },
    );
    await send(chunks);
    chunks.finish(await readRun(deps, orgId, run.triggerId, run.runId, { messages: true, models: true }));
  };
  void fill()
    .catch((error: unknown) => sendFault(stream.sendData, error, request, deps.baseUrl))
    .finally(() => stream.end());
  return reply;

  /** If no stream is free, sends all chunks together, because an accepted call must not be refused. */
  async function sendAtOnce(): Promise<FastifyReply> {
    const turn = await awaitFirstTurn(deps, started, COMPLETION_WAIT_SECONDS * 1_000, request.server.draining);
    if (turn === null) throw answerPending(run.runId, input.idempotency !== null);
    let text = '';
    const keep: SendData = (data) => {
      text += `data: ${data}\n\n`;
      return true;
    };
    chunksTo(keep).finish(turn);
    return reply.type('text/event-stream; charset=utf-8').send(text);
  }
}

function chunked({ answer, run }: Started, { body, idempotency }: FastifyRequest) {
  const { agent_id: model, created_at: createdAt } = JSON.parse(answer.body) as AcceptedRun;
  const hasUsage = (body as CompletionCall).stream_options?.include_usage === true;
  return { id: run.id, createdAt, model, hasUsage, isRepeatable: idempotency !== null };
}

/** The response has begun, so an error becomes an event. After an error, the stream ends without `[DONE]`. */
function sendFault(send: SendData, error: unknown, request: FastifyRequest, baseUrl: string): void {
  if (!(error instanceof Refusal)) return;
  send(JSON.stringify(formatOf(request.url).bodyOf(problemBody(error, request.requestId, baseUrl))));
}
