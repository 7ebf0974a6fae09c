import type { AgentDefinition, Fallback } from '../../../contract/agents.ts';
import type { ModelProviderName } from '../../../contract/dashboard/models.ts';
import { CODE_PROVIDER } from '../../../contract/turns.ts';
import { decideBeforeModel } from '../../engine/before-model.ts';
import { embeddedProvider } from '../../engine/embedded/provider.ts';
import { type Provider, ProviderError } from '../../engine/provider.ts';
import {
  createModelProvider,
  MODEL_MAX_BYTES,
  MODEL_TIMEOUT_MS,
} from '../../engine/providers/create-model-provider.ts';
import type { CallTool, FindChangedTools } from '../../engine/providers/run-tool.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { readModel } from '../../store/models.ts';
import { openModelKey } from '../../store/open-model-key.ts';
import { hasBudgets } from '../../store/costs/budgets.ts';
import { createCodeProvider } from '../turns/create-code-provider.ts';
import type { CallsDeps } from './model-calls.ts';
import { type Link, tryInOrder } from './fallback-order.ts';

/** Connects a test with a model, by recording the answers of the model or replaying recorded answers. */
export type ModelRecording =
  | { isReplay: false; through(real: typeof fetch, apiKey?: string): typeof fetch }
  /** A replay does not call the model, so no account is needed. */
  | { isReplay: true; fetch: typeof fetch };

/** The parts of answering that a test replaces. A test calls no MCP server for its list of tools. */
type TestStage = { callTool: CallTool; recording?: ModelRecording };

export type FindProvider = (
  orgId: string,
  agent: { definition: AgentDefinition },
  test?: TestStage,
) => Promise<Provider>;

type FindProviderDeps = Omit<CallsDeps, 'pool'> & {
  db: Db;
  egress: Egress;
  sealingKey: Key;
  turnKey: Key;
  baseUrl: string;
  callTool: CallTool;
  findChangedTools: FindChangedTools;
};

/**
 * Finds the provider of an agent, which is the embedded provider, or a model through the organization's own account.
 */
export function createFindProvider(deps: FindProviderDeps): FindProvider {
  return async function findProvider(orgId, agent, test) {
    const { provider: name = 'embedded', model = '', time_limit_seconds: timeLimit } = agent.definition;
    if (name === 'embedded') return embeddedProvider;
    // A replay makes no call, so no usage is counted and no fallback is used.
    if (test?.recording?.isReplay) {
      if (name === CODE_PROVIDER) return createCodeProvider(deps, codeRecording(test.recording));
      return replayProvider(name, test, test.recording.fetch);
    }
    const limited = await hasBudgets(deps.db, orgId);
    const first: Link =
      name === CODE_PROVIDER
        ? {
            ...codeLink(agent.definition),
            provider: createCodeProvider(deps, test?.recording && codeRecording(test.recording)),
          }
        : { model, timeLimit, provider: await findModel(orgId, name, test) };
    const findLink = async (next: Fallback): Promise<Link> => ({
      model: next.model ?? '',
      timeLimit: next.time_limit_seconds ?? (name === CODE_PROVIDER ? MODEL_TIMEOUT_MS / 1_000 : undefined),
      provider: await findModel(orgId, next.provider as ModelProviderName, test),
    });
    return tryInOrder({ ...deps, pool: deps.db.$client }, first, findLink, limited);
  };

  async function findModel(orgId: string, name: ModelProviderName, test?: TestStage): Promise<Provider> {
    const account = await readModel(deps.db, orgId, name);
    if (!account) return unusable(name, 'is not connected. Connect it');
    const fetch = deps.egress.fetchWith({ timeoutMs: MODEL_TIMEOUT_MS, maxBytes: MODEL_MAX_BYTES });
    const apiKey = await openModelKey(deps.db, deps.sealingKey, account);
    if (apiKey === null) return unusable(name, 'has a stored key that belongs to other settings. Give it again');
    return createModelProvider({
      name,
      ...(account.baseUrl !== null && { baseUrl: account.baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      fetch: test?.recording?.isReplay === false ? test.recording.through(fetch, apiKey) : fetch,
      callTool: test?.callTool ?? deps.callTool,
      findChangedTools: test ? async () => new Set() : deps.findChangedTools,
      before: decideBeforeModel,
    });
  }
}

/** In costs and traces, own code has the name of its host. */
const codeLink = ({ url, time_limit_seconds: timeLimit }: AgentDefinition): Omit<Link, 'provider'> => ({
  model: url === undefined ? '' : new URL(url).host,
  timeLimit,
});

const codeRecording = (recording: ModelRecording) =>
  recording.isReplay
    ? { isReplay: true, through: () => recording.fetch }
    : { isReplay: false, through: recording.through };

const replayProvider = (name: ModelProviderName, { callTool }: TestStage, recorded: typeof fetch): Provider =>
  createModelProvider({
    name,
    baseUrl: 'http://recorded.invalid/v1',
    apiKey: 'recorded',
    fetch: recorded,
    callTool,
    findChangedTools: async () => new Set(),
    before: decideBeforeModel,
  });

/** A provider that fails every turn with the reason why the agent's provider is not available. */
const unusable = (name: string, why: string): Provider => ({
  name,
  turn: async () => {
    throw new ProviderError(
      'provider_refused',
      `The agent uses the provider "${name}", which ${why} with "./parley models set --provider ${name} --key-stdin".`,
      { retryable: false },
    );
  },
});
