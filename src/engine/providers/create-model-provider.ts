import type { Tool } from '../../../contract/agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { MessageSource } from '../../../contract/messages.ts';
import { ProviderError, type Provider, type TurnRequest, type TurnResult } from '../provider.ts';
import type { TurnTrace } from '../turn-trace.ts';
import { asksToBegin, isQuestion } from '../embedded/phrases.ts';
import { readWords } from '../read-words.ts';
import { renderText } from '../templates.ts';
import { withoutBound } from './bind-arguments.ts';
import { type CalledTool, readMemory, rememberCalls, rememberMessages, withMemory } from '../conversation-memory.ts';
import { buildMessages, startOf } from './build-messages.ts';
import { buildInstructions, templateVariables } from './build-prompt.ts';
import { citePassages } from './cite-passages.ts';
import { findSources } from './find-sources.ts';
import { type Generated, type Generation } from './generate.ts';
import type { ModelSettings } from './language-model.ts';
import { decisionsIn, decisionStep, decisionText, requestApproval } from './request-approval.ts';
import { askFirst, confirmedTool, type PendingTool, readPending, withoutPending, withPending } from './confirm-tool.ts';
import {
  type CallTool,
  CHECK_MS,
  type FindChangedTools,
  MAX_CALLS,
  refusalOf,
  runTool,
  type ToolTurn,
} from './run-tool.ts';
import type { PreparedCall } from './stored-call.ts';
import { showImages, type ShownImages, withoutImages } from './show-images.ts';

/**
 * The limit for a `fetch` that the caller passes, as in `egress.fetchWith({ timeoutMs, maxBytes: MODEL_MAX_BYTES })`.
 */
export const MODEL_MAX_BYTES = 4 * 1024 * 1024;

export const MODEL_TIMEOUT_MS = 30_000;

export type ModelProviderOptions = ModelSettings & {
  callTool: CallTool;
  findChangedTools: FindChangedTools;
  /**
   * Decides a turn before a model is called, for opt-out words, rules, and a request for a human. Null: the model
   * answers. The tags are added to the conversation, also if the model answers.
   */
  before?: (request: TurnRequest) => Promise<{ turn: TurnResult | null; tags: string[] }>;
  /** The time limit for one answer of the model, including its last byte. */
  timeoutMs?: number;
};

/**
 * Wraps a model as a Provider. The same turn may be retried after a failure, so the provider stores nothing. The SDK's
 * own retries are off, because the worker retries with the conversation as it is then. The promise rejects with a
 * ProviderError, or with the signal's reason when the turn is no longer needed.
 */
export function createModelProvider(options: ModelProviderOptions): Provider {
  const { name } = options;
  return {
    name,
    async turn(asked) {
      const pending = readPending(asked);
      // This turn answers or withdraws the question that waits.
      const request = { ...asked, state: withoutPending(asked.state) };
      const tool = pending && confirmedTool(pending, request);
      if (pending && tool) return askModel(options, request, { ...pending, tool });
      // A turn that only reports decisions answers no message.
      const reports = request.input.length === 0 && decisionsIn(request.approvals).length > 0;
      const { turn = null, tags = [] } = reports ? {} : ((await options.before?.(request)) ?? {});
      const result =
        turn ?? (reports ? null : openByText(name, request)) ?? (await askModel(options, request, pending));
      return { ...result, tags: [...result.tags, ...tags] };
    },
  };
}

/** The opening text of the author is sent unchanged and needs no model. */
export function openByText(provider: string, request: TurnRequest): TurnResult | null {
  const { agent, input, history, locale } = request;
  if (!input.every(asksToBegin) || history.some((message) => message.role === 'agent')) return null;
  const text = renderText(agent.definition.opening, locale, templateVariables(request));
  if (text === null || text.trim() === '') return null;
  return {
    ...say(request, text),
    next: 'waiting_for_user',
    trace: { provider, steps: [{ kind: 'opening', detail: 'as written' }] },
  };
}

/** `answered`: the question of the previous turn, with the tool if the person agreed. */
async function askModel(
  options: ModelProviderOptions,
  request: TurnRequest,
  answered: PendingTool | (PreparedCall & { tool: Tool }) | null,
): Promise<TurnResult> {
  const { agent, locale } = request;
  const { model, time_limit_seconds: limit } = agent.definition;
  if (model === undefined) {
    throw new ProviderError('provider_refused', 'The agent has no model. Set one in the agent.', {
      retryable: false,
    });
  }
  const steps: TurnTrace['steps'] = [];
  const [sources, changed] = await Promise.all([findSources(request, steps), options.findChangedTools(request)]);
  const turn: ToolTurn = {
    request,
    callTool: options.callTool,
    steps,
    asking: null,
    changed,
    mayCall: true,
    callsLeft: MAX_CALLS,
    checks: { ms: CHECK_MS },
    called: [],
    requested: [],
  };
  const before = readMemory(request.state);
  const memory = rememberMessages(before, request.history, startOf(request.history, before));
  const confirmed = [...(answered ? await answeredCall(answered, turn) : []), ...readDecisions(turn)];
  const names = (agent.definition.tools ?? []).map(({ name }) => name);
  const offered = new Set(names.filter((name) => !changed.has(name)));
  /** Adds the state for the next turn to the result. */
  const remembering = (result: TurnResult): TurnResult => {
    const answer = result.messages.map(({ content }) => ('text' in content && content.text) || '').join('');
    const state = withMemory(result.state, rememberCalls(memory, answer, turn.called));
    return { ...result, state, requested: turn.requested, readDecisions: true };
  };
  // Without the tool, the model can read neither the call nor its result.
  if (request.input.length === 0 && decisionsIn(request.approvals).length > 0 && confirmed.length === 0)
    return {
      ...say(request, ''),
      readDecisions: true,
      next: 'waiting_for_user',
      trace: { provider: options.name, steps },
    };
  const { text: answer, handOff } = await askWithImages(turn, options.name, (shown) => ({
    settings: options,
    timeoutMs: limit === undefined ? (options.timeoutMs ?? MODEL_TIMEOUT_MS) : limit * 1_000,
    model,
    instructions: buildInstructions(request, sources, shown),
    sources,
    messages: buildMessages(request, { memory, confirmed, offered }, shown),
    shown,
    turn,
  }));
  const trace = { provider: options.name, steps };
  if (turn.asking !== null)
    return remembering({ ...ask(request, turn.asking, steps), next: 'waiting_for_user', trace });
  const { text, sources: cited } = citePassages(
    answer,
    sources.passages.map(({ passage }) => passage),
  );
  if (cited.length === 0 && isMissed(request, steps))
    steps.push({ kind: 'miss', detail: 'A question was answered without a source.' });
  if (handOff === null) return remembering({ ...say(request, text, cited), next: 'waiting_for_user', trace });
  const written = renderText(agent.definition.hand_off?.text, locale, templateVariables(request));
  return remembering({ ...say(request, written || text || handOff.message), next: 'handed_off', trace });
}

/**
 * No provider reports whether its model accepts images. If the model refuses a request with images, it gets the request
 * once more without them. Servers of open models answer with a 5xx status instead of a refusal.
 */
async function askWithImages(
  { request, steps, called }: ToolTurn,
  name: ModelSettings['name'],
  generationOf: (shown: ShownImages) => Generation,
): Promise<Generated> {
  // The first use loads the SDK, because an installation with only the embedded provider never needs it.
  const { generate } = await import('./generate.ts');
  const shown = await showImages(request, steps);
  const calledBefore = called.length;
  try {
    return await generate(generationOf(shown));
  } catch (error) {
    const codes = name === 'openai_compatible' ? ['provider_refused', 'provider_unreachable'] : ['provider_refused'];
    const mayBeBlind = error instanceof ProviderError && codes.includes(error.code) && called.length === calledBefore;
    if (shown.images.size === 0 || !mayBeBlind) throw error;
    // No provider bills a refused call.
    request.calls?.end({ input: 0, cached: 0, output: 0 });
    steps.push({ kind: 'images_refused', detail: error.message });
    return await generate(generationOf(withoutImages()));
  } finally {
    shown.close();
  }
}

/**
 * Makes the confirmed call if the person agreed to it. The model reads the call as its own call with a result, in a
 * form that no person can write. If the model no longer has the tool, the call is omitted.
 */
async function answeredCall(
  { tool, ...call }: PendingTool | (PreparedCall & { tool: Tool }),
  turn: ToolTurn,
): Promise<CalledTool[]> {
  if (typeof tool !== 'string') {
    // The schema of the tool may have changed after the person was asked.
    const run = tool.approval === undefined ? runTool : requestApproval;
    const result = (await refusalOf(tool, call.arguments, turn)) ?? (await run(tool, call, turn));
    return [{ tool: tool.name, arguments: withoutBound(call.arguments, tool), result }];
  }
  turn.steps.push({ kind: 'tool_declined', detail: tool, input: JSON.stringify(call.arguments).slice(0, 1_000) });
  const offered = turn.request.agent.definition.tools?.find(({ name }) => name === tool && !turn.changed.has(tool));
  return offered ? [{ tool, arguments: withoutBound(call.arguments, offered), result: DECLINED }] : [];
}

/**
 * Returns the decisions of the team as results of the calls that waited. A model cannot distinguish calls that the team
 * decided from its own calls.
 */
function readDecisions({ request, steps, called, changed }: ToolTurn): CalledTool[] {
  return decisionsIn(request.approvals).flatMap(({ tool, arguments: args, status, reason, outcome }) => {
    const approved = status === 'approved';
    steps.push(decisionStep({ tool, arguments: args }, approved, reason), ...(outcome?.steps ?? []));
    const result = decisionText({ approved, reason, ...(outcome && { result: outcome.result }) });
    const one = { tool: tool.name, arguments: withoutBound(args, tool), result };
    called.push(one);
    // A provider refuses the call of a tool that the model no longer has.
    return request.agent.definition.tools?.some(({ name }) => name === tool.name && !changed.has(name)) ? [one] : [];
  });
}

const DECLINED = JSON.stringify({ error: 'Not called: the person was asked first and did not agree.' });

/** Asks the person the question before a tool call. The call is stored in the conversation's state. */
function ask(request: TurnRequest, { tool, ...call }: NonNullable<ToolTurn['asking']>, steps: TurnTrace['steps']) {
  const content = askFirst(tool, call.arguments, request);
  const input = JSON.stringify(call.arguments).slice(0, 1_000);
  steps.push({ kind: 'tool_asked', detail: tool.name, input });
  const pending = { ...call, tool: tool.name, text: content.text, at: request.now.getTime() };
  return { ...say(request, ''), messages: [{ content, sources: [] }], state: withPending(request.state, pending) };
}

/**
 * A model does not report that it does not know, so an answer without a passage and without a tool counts as missed.
 */
const isMissed = ({ input, task }: TurnRequest, steps: TurnTrace['steps']): boolean =>
  task === undefined &&
  input.some((text) => isQuestion(text, readWords(text))) &&
  !steps.some(({ kind }) => kind.startsWith('tool'));

const say = (request: TurnRequest, text: string, sources: MessageSource[] = []) => ({
  messages:
    text.trim() === ''
      ? []
      : [{ content: { type: 'text' as const, text: text.slice(0, MAX_MESSAGE_CHARACTERS) }, sources }],
  state: request.state,
  tags: [],
  opted_out: false,
});
