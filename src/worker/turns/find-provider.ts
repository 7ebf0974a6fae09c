import type { AgentDefinition } from '../../../contract/agents.ts';
import { decideBeforeModel } from '../../engine/before-model.ts';
import { embeddedProvider } from '../../engine/embedded/provider.ts';
import { type Provider, ProviderError } from '../../engine/provider.ts';
import {
  createModelProvider,
  MODEL_MAX_BYTES,
  MODEL_TIMEOUT_MS,
} from '../../engine/providers/create-model-provider.ts';
import type { Egress } from '../../kernel/egress.ts';
import { type Key, SealError } from '../../kernel/seal.ts';
import { modelCredential, openCredential } from '../../store/credentials.ts';
import type { Db } from '../../store/db.ts';
import { type ModelRow, readModel } from '../../store/models.ts';

const TOOL_MAX_BYTES = 64 * 1024;

/** Finds the provider of an agent: the embedded one, or the organization's own account with a model. */
export function createFindProvider(deps: { db: Db; egress: Egress; sealingKey: Key }) {
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
      callTool: (tool, args, signal, idempotencyKey) => callTool(tool.url, args, signal, idempotencyKey),
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

  async function callTool(url: string, args: unknown, signal: AbortSignal, key: string | null): Promise<unknown> {
    const answer = await deps.egress.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(args),
      signal,
      maxBytes: TOOL_MAX_BYTES,
    });
    const text = answer.body.toString('utf8');
    if (answer.status < 200 || answer.status > 299) throw new Error(`The tool returned ${answer.status}.`);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
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
