import { type AcceptedRun, type EarlierMessage, type TriggerCall } from '../../../contract/triggers.ts';
import { asksToStop } from '../../engine/stop-words.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { AcceptCall, NewRun, StoredAnswer } from '../../store/runs/accept-call.ts';
import { readStoredAnswer } from '../../store/idempotency/stored-answer.ts';
import type { TriggersDeps } from './deps.ts';
import { type CallTarget, type CheckedCall, checkTriggerCall, conversationOf } from './trigger-call.ts';

export type StartConversation = {
  target: CallTarget;
  call: TriggerCall;
  /**
   * The calling key, which the fence checks in the accepting statement. Null: a member tests the trigger in the
   * dashboard.
   */
  keyId: string | null;
  /** The network address of the key's caller, which is checked together with the key. */
  from: string | null;
  /** True: the key may not change people, so it only fills empty fields. */
  fillsOnly: boolean;
  /** The mark of the client token that makes the call. Absent: the key itself makes the call. */
  clientMark?: string | undefined;
  requestId: string;
  /** The trace that the worker's spans continue. Absent: tracing is off. */
  trace?: string | undefined;
  /** The field is set when the caller streams this run. `reader`: the process that streams this run. */
  stream?: { runId: string; reader: string } | undefined;
  /** The earlier messages, oldest first. */
  earlier?: EarlierMessage[];
  idempotency: { scope: Buffer; request: Buffer } | null;
};

export type Started = { answer: StoredAnswer; replayed: boolean; run: { orgId: string; id: string } };

/**
 * Accepts a trigger call. The call resolves after run, conversation, end user and stored response have been committed
 * together.
 */
export const startConversation = (deps: TriggersDeps, input: StartConversation): Promise<Started> =>
  deps.guard({ orgId: input.target.orgId, idempotency: input.idempotency }, () => accept(deps, input));

async function accept(deps: TriggersDeps, input: StartConversation): Promise<Started> {
  const { target, idempotency } = input;
  const { orgId } = target;
  let checked;
  try {
    checked = await checkTriggerCall(target, input.call, deps);
  } catch (refusal) {
    // A repeated call gets its stored response, even if a record was disabled after the first call.
    const stored = await readStoredAnswer(deps.db.$client, { orgId, idempotency });
    if (stored?.kind === 'replayed') return replayed(orgId, stored.answer);
    throw stored?.kind === 'refused' ? stored.refusal : refusal;
  }
  const outcome = await deps.acceptQueue.accept(acceptCallOf(input, checked));
  if (outcome.kind === 'refused') throw outcome.refusal;
  if (outcome.kind === 'replayed') return replayed(orgId, outcome.answer);
  deps.onAccepted();
  // crash point: accept:before-answer
  return { answer: outcome.answer, replayed: false, run: { orgId, id: outcome.run.id } };
}

export function acceptCallOf(input: StartConversation, checked: CheckedCall): AcceptCall {
  const { target, call } = input;
  return {
    orgId: target.orgId,
    runId: input.stream?.runId,
    keyId: input.keyId,
    from: input.from,
    agentId: target.agent.id,
    triggerId: target.trigger.id,
    channelId: checked.channel.id,
    channelKind: checked.channel.kind,
    address: checked.address,
    addressFrom: checked.addressFrom,
    endUser: call.end_user && Object.keys(call.end_user).length > 0 ? call.end_user : null,
    fillsOnly: input.fillsOnly,
    conversation: conversationOf(call),
    clientMark: input.clientMark ?? null,
    message: call.message ?? null,
    optsOutOf: asksToStop([call.message ?? '']) ? checked.channel.kind : null,
    input: {
      variables: checked.variables,
      ...(call.metadata && { metadata: call.metadata }),
      ...(checked.agentVersion !== null && { agent_version: checked.agentVersion }),
      ...(input.earlier?.length && { earlier: input.earlier }),
      ...(input.keyId !== null && { key_id: input.keyId }),
      ...(input.trace !== undefined && { trace: input.trace }),
      ...(input.stream && { reader: input.stream.reader }),
    },
    sendAt: checked.sendAt,
    requestId: input.requestId,
    idempotency: input.idempotency,
    answer: acceptedAnswer,
  };
}

const replayed = (orgId: string, answer: StoredAnswer): Started => ({
  answer,
  replayed: true,
  run: { orgId, id: (JSON.parse(answer.body) as AcceptedRun).id },
});

/** Returns the path of a run below the base URL. */
export const runPath = (run: { agentId: string; triggerId: string; id: string }): string =>
  `/api/triggers/${run.agentId}/${run.triggerId}/runs/${run.id}`;

export const presentAccepted = (run: NewRun): AcceptedRun => ({
  outcome: 'accepted',
  id: run.id,
  status: run.status,
  agent_id: run.agentId,
  trigger_id: run.triggerId,
  conversation_id: run.conversationId,
  end_user_id: run.endUserId,
  channel_id: run.channelId,
  created_at: timestamp(run.createdAt),
  ...(run.unchanged.length > 0 && { unchanged: [...run.unchanged] }),
});

const acceptedAnswer = (run: NewRun): StoredAnswer => ({
  status: 202,
  location: runPath(run),
  body: JSON.stringify(presentAccepted(run)),
});
