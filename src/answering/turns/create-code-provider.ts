import { randomUUID } from 'node:crypto';
import {
  CODE_PROVIDER,
  CODE_SECRET,
  MAX_TURN_CALL_SECONDS,
  type TurnAnswer,
  type TurnRequested,
} from '../../../contract/turns.ts';
import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import { decideBeforeModel } from '../../engine/before-model.ts';
import { type Provider, ProviderError, type TurnRequest, type TurnResult, TurnWaits } from '../../engine/provider.ts';
import { decisionsIn, decisionStep } from '../../engine/providers/request-approval.ts';
import type { KnownApproval } from '../../engine/providers/stored-call.ts';
import { openByText } from '../../engine/providers/create-model-provider.ts';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import { signWebhook } from '../../kernel/standard-webhooks.ts';
import type { Db } from '../../store/db.ts';
import type { CodeTurn } from '../../store/schema/run.ts';
import { keepAnswer, type NextStep, nextStep, noteAccepted, type RunRef } from '../../store/turns/code-turn.ts';
import { resultFieldsOf } from '../results/result-fields.ts';
import { findAuthority } from '../tools/tool-signature.ts';
import { printOf } from './check-answer.ts';
import { readResponse } from './read-response.ts';
import { issueReplyToken } from './reply-token.ts';
import { turnBody } from './turn-body.ts';

export type CodeDeps = {
  db: Db;
  egress: Pick<Egress, 'fetchWith'>;
  sealingKey: Key;
  turnKey: Key;
  baseUrl: string;
};

/** Replaces the network in a test. */
type Recording = { isReplay: boolean; through(real: typeof fetch): typeof fetch };

/** The URL of a call that is signed. */
export type Receiver = { url: string; seconds: number };

const DEFAULT_SECONDS = 30;

/**
 * The customer's own code as the provider of an agent. Stop words, rules, guided steps and requests for a human are
 * handled before the code is called, as with a model. If an answer has already arrived, the provider uses this answer
 * without a call.
 */
export function createCodeProvider(deps: CodeDeps, recording?: Recording): Provider {
  return {
    name: CODE_PROVIDER,
    async turn(request) {
      if (request.task !== undefined) throw refused('Your own code answers turns only.');
      // A turn that only reports decisions answers no message.
      const reports = request.input.length === 0 && decisionsIn(request.approvals).length > 0;
      const { turn, tags } = reports ? { turn: null, tags: [] } : await decideBeforeModel(request);
      const result =
        turn ?? (reports ? null : openByText(CODE_PROVIDER, request)) ?? (await askCode(deps, request, recording));
      return { ...result, tags: [...result.tags, ...tags] };
    },
  };
}

async function askCode(deps: CodeDeps, request: TurnRequest, recording?: Recording): Promise<TurnResult> {
  const { url, time_limit_seconds: seconds = DEFAULT_SECONDS } = request.agent.definition;
  if (url === undefined) throw refused('The agent has no URL of your code.');
  const run = runOf(request);
  if (run === null) return tryCode(deps, request, { url, seconds }, recording);
  const notified = decisionsIn(request.approvals).map(({ id }) => id);
  const next = await nextStep(deps.db.$client, run, { seconds, fields: fieldsOf(request), told: notified });
  if (next === null) throw new TurnWaits();
  if (next.step === 'answered') return resultOf(request, next.answer, { turn: next.turn });
  if (next.step === 'wait') throw new TurnWaits();
  if (next.step === 'late') throw timedOut(seconds);
  return callCode(deps, request, { url, seconds }, run, next);
}

function runOf({ context, account }: TurnRequest): RunRef | null {
  if (context.run_id === null || account === undefined) return null;
  return { orgId: context.organization_id, runId: context.run_id, lease: account.lease };
}

const fieldsOf = ({ agent }: TurnRequest) =>
  resultFieldsOf(agent.definition).map(({ name, type, choices }) => ({ name, type, ...(choices && { choices }) }));

async function callCode(
  deps: CodeDeps,
  request: TurnRequest,
  receiver: Receiver,
  run: RunRef,
  { turn, facts }: Extract<NextStep, { step: 'ask' }>,
): Promise<TurnResult> {
  const body: TurnRequested = {
    type: 'turn.requested',
    turn: {
      ...replyTo(deps, { ...run, turnId: turn.id }),
      attempt: turn.attempt,
      deadline: turn.deadline,
    },
    ...turnBody(request, facts),
  };
  const started = performance.now();
  const pool = deps.db.$client;
  const given = await post(deps, request, receiver, body);
  // crash point: code:after-answer
  const print = given && printOf(given);
  const counts = print
    ? await keepAnswer(pool, run, turn.id, { answer: given, print })
    : await noteAccepted(pool, run, turn.id);
  // crash point: code:after-keep
  if (counts === null) throw new TurnWaits();
  // The answer to `reply_url` arrived before the response.
  if (printOf(counts) !== print) request.words?.takeBack();
  return resultOf(request, counts, { turn, ms: Math.round(performance.now() - started) });
}

/** A try stores nothing, so the response to the call must contain the answer. */
async function tryCode(
  deps: CodeDeps,
  request: TurnRequest,
  receiver: Receiver,
  recording?: Recording,
): Promise<TurnResult> {
  const { organization_id: orgId } = request.context;
  const deadline = new Date(Date.now() + receiver.seconds * 1_000).toISOString();
  const turn = { ...replyTo(deps, { orgId, runId: 'try', turnId: `try_${randomUUID()}` }), attempt: 1, deadline };
  const body: TurnRequested = { type: 'turn.requested', turn, ...turnBody(request, null) };
  const given = await post(deps, request, receiver, body, recording);
  if (given === null) {
    throw refused('Your code returned 202. In tests and in the playground it must return 200 with its answer.');
  }
  return resultOf(request, given, {});
}

const replyTo = ({ turnKey, baseUrl }: CodeDeps, claims: { orgId: string; runId: string; turnId: string }) => ({
  id: claims.turnId,
  reply_url: `${baseUrl}/inbound/turns/${claims.turnId}`,
  reply_token: issueReplyToken(turnKey, claims),
});

/** Calls the customer's code once. Null: the code has accepted the turn and answers later. */
async function post(
  deps: CodeDeps,
  request: TurnRequest,
  { url, seconds }: Receiver,
  body: TurnRequested,
  recording?: Recording,
): Promise<TurnAnswer | null> {
  const { calls, span, signal } = request;
  const text = JSON.stringify(body);
  const signed = recording?.isReplay ? {} : await sign(deps, request, url, body.turn.id, text);
  const timeoutMs = Math.min(seconds, MAX_TURN_CALL_SECONDS) * 1_000;
  const real = deps.egress.fetchWith({ timeoutMs, maxBytes: MAX_BODY_BYTES });
  await calls?.begin({ inputTokens: 0 });
  let isLater = false;
  try {
    const response = await (recording ? recording.through(real) : real)(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'user-agent': 'Parley',
        ...(span && { traceparent: span.traceparent }),
        ...signed,
      },
      body: text,
      signal,
    });
    const answer = await readResponse(response, fieldsOf(request), request.words);
    isLater = answer === null;
    return answer;
  } catch (error) {
    request.words?.takeBack();
    signal.throwIfAborted();
    throw failureOf(error, seconds);
  } finally {
    // If an answer comes later, a budget of time is charged with the whole time limit.
    calls?.end(isLater ? null : { input: 0, cached: 0, output: 0 });
  }
}

async function sign(
  { db, sealingKey }: CodeDeps,
  { context }: TurnRequest,
  url: string,
  turnId: string,
  body: string,
): Promise<Record<string, string>> {
  const authority = await findAuthority({ db, sealingKey }, { name: CODE_SECRET, url }, context);
  if ('fault' in authority || authority.signing.length === 0) {
    throw refused('The agent has no signing secret for this URL. Create one: ./parley agents secret AGENT_ID.');
  }
  return { ...authority.headers, ...signWebhook(authority.signing, turnId, new Date(), body) };
}

function failureOf(error: unknown, seconds: number): unknown {
  if (!(error instanceof EgressError)) return error;
  switch (error.code) {
    case 'egress_refused':
      return refused(`Parley may not call your code. ${error.message}`);
    case 'egress_timeout':
      return timedOut(Math.min(seconds, MAX_TURN_CALL_SECONDS));
    case 'egress_too_large':
      return new ProviderError('provider_garbled', 'The answer of your code is too large.', { retryable: false });
    case 'egress_unreachable':
      return new ProviderError('provider_unreachable', 'Your code could not be reached.', { retryable: true });
  }
}

const refused = (detail: string): ProviderError => new ProviderError('provider_refused', detail, { retryable: false });

const timedOut = (seconds: number): ProviderError =>
  new ProviderError('provider_timeout', `Your code did not answer within ${seconds} seconds.`, { retryable: true });

const decisionStepsOf = ({ tool, arguments: args, status, reason, outcome }: KnownApproval) => [
  decisionStep({ tool, arguments: args }, status === 'approved', reason),
  ...(outcome?.steps ?? []),
];

const NEXT = { wait: 'waiting_for_user', complete: 'completed', hand_off: 'handed_off' } as const;

function resultOf(
  request: TurnRequest,
  answer: TurnAnswer,
  { turn, ms }: { turn?: CodeTurn; ms?: number },
): TurnResult {
  const { messages, next = 'wait', result, tags = [] } = answer;
  const attempt = turn?.attempt ?? 1;
  return {
    messages: messages.map(({ content }) => ({ content, sources: [] })),
    state: request.state,
    next: NEXT[next],
    tags,
    opted_out: false,
    ...(result && { result }),
    ...(turn?.told && { readDecisions: turn.told }),
    trace: {
      provider: CODE_PROVIDER,
      steps: [
        ...decisionsIn(request.approvals).flatMap(decisionStepsOf),
        { kind: 'code', detail: `Attempt ${attempt}`, attempt, ...(ms !== undefined && { ms }) },
      ],
    },
  };
}
