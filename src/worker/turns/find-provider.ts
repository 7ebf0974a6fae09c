import type { AgentDefinition } from '../../../contract/agents.ts';
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

/** Finds the provider of an agent: the embedded one, or the organization's own account with a model. */
export function createFindProvider(deps: {
  db: Db;
  egress: Egress;
  sealingKey: Key;
  callTool: CallTool;
  findChangedTools: FindChangedTools;
}) {
  return async function findProvider(orgId: string, agent: { definition: AgentDefinition }): Promise<Provider> {
    const name = agent.definition.provider ?? 'embedded';
    if (name === 'embedded') return embeddedProvider;
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
  };

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
