import type { AgentDefinition, Fallback } from '../../../contract/agents.ts';
import type { ModelProviderName } from '../../../contract/dashboard/models.ts';
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
import { type Key, SealError } from '../../kernel/seal.ts';
import { modelCredential, openCredential } from '../../store/credentials.ts';
import type { Db } from '../../store/db.ts';
import { type ModelRow, readModel } from '../../store/models.ts';
import { hasBudgets } from '../../store/spending/budgets.ts';
import type { CallsDeps } from './model-calls.ts';
import { type Link, tryInOrder } from './try-in-order.ts';

type FindProviderDeps = Omit<CallsDeps, 'pool'> & {
  db: Db;
  egress: Egress;
  sealingKey: Key;
  callTool: CallTool;
  findChangedTools: FindChangedTools;
};

/** Finds the provider of an agent: the embedded one, or the organization's own account with a model. */
export function createFindProvider(deps: FindProviderDeps) {
  return async function findProvider(orgId: string, agent: { definition: AgentDefinition }): Promise<Provider> {
    const { provider: name = 'embedded', model = '', time_limit_seconds: timeLimit } = agent.definition;
    if (name === 'embedded') return embeddedProvider;
    const [provider, limited] = await Promise.all([findModel(orgId, name), hasBudgets(deps.db, orgId)]);
    const findLink = async (next: Fallback): Promise<Link> => ({
      model: next.model ?? '',
      timeLimit: next.time_limit_seconds,
      provider: await findModel(orgId, next.provider as ModelProviderName),
    });
    return tryInOrder({ ...deps, pool: deps.db.$client }, { model, timeLimit, provider }, findLink, limited);
  };

  async function findModel(orgId: string, name: ModelProviderName): Promise<Provider> {
    const account = await readModel(deps.db, orgId, name);
    if (!account) return unusable(name, 'is not connected. Connect it');
    const apiKey = account.sealedKey === null ? undefined : await readKey(account, account.sealedKey);
    if (apiKey === null) return unusable(name, 'has a stored key that belongs to other settings. Give it again');
    return createModelProvider({
      name,
      ...(account.baseUrl !== null && { baseUrl: account.baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      fetch: deps.egress.fetchWith({ timeoutMs: MODEL_TIMEOUT_MS, maxBytes: MODEL_MAX_BYTES }),
      callTool: deps.callTool,
      findChangedTools: deps.findChangedTools,
      before: decideBeforeModel,
    });
  }

  /** Null: the key was stored for another address, or it was altered. */
  async function readKey(account: ModelRow, sealed: string): Promise<string | null> {
    try {
      return await openCredential(deps.db, deps.sealingKey, modelCredential(account), sealed);
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }
}

/** The agent names a provider that cannot be used: its runs fail immediately with the reason. */
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
