import type { AgentDefinition } from '../../contract/agents.ts';
import { decideBeforeModel, embeddedProvider } from '../engine/embedded/provider.ts';
import { type Provider, ProviderError } from '../engine/provider.ts';
import { createModelProvider, MODEL_MAX_BYTES, MODEL_TIMEOUT_MS } from '../engine/providers/create-model-provider.ts';
import type { Egress } from '../kernel/egress.ts';
import { type Key, open, placeOf } from '../kernel/seal.ts';
import type { Db } from '../store/db.ts';
import { openDataKey, readModel } from '../store/models.ts';

const TOOL_MAX_BYTES = 64 * 1024;

/** Who writes the words of an agent: the embedded provider, or the organization's own account with a model. */
export function createFindProvider(deps: { db: Db; egress: Egress; sealingKey: Key }) {
  return async function findProvider(orgId: string, agent: { definition: AgentDefinition }): Promise<Provider> {
    const name = agent.definition.provider ?? 'embedded';
    if (name === 'embedded') return embeddedProvider;
    const account = await readModel(deps.db, orgId, name);
    if (!account) return notConnected(name);
    return createModelProvider({
      name,
      ...(account.baseUrl !== null && { baseUrl: account.baseUrl }),
      ...(account.sealedKey !== null && { apiKey: await readKey(orgId, name, account.sealedKey) }),
      fetch: deps.egress.fetchWith({ timeoutMs: MODEL_TIMEOUT_MS, maxBytes: MODEL_MAX_BYTES }),
      callTool: (tool, args, signal, idempotencyKey) => callTool(tool.url, args, signal, idempotencyKey),
      before: decideBeforeModel,
    });
  };

  async function readKey(orgId: string, provider: string, sealed: string): Promise<string> {
    const key = await openDataKey(deps.db, orgId, deps.sealingKey);
    const place = placeOf({ table: 'model_provider', column: 'sealed_key', row: provider, organization: orgId });
    return open(key, sealed, place);
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
    if (answer.status < 200 || answer.status > 299) throw new Error(`The tool answered ${answer.status}.`);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
}

/** The agent names a provider that the organization has not connected: its runs fail at once and say so. */
const notConnected = (name: string): Provider => ({
  name,
  turn: async () => {
    throw new ProviderError(
      'provider_refused',
      `The agent uses the provider "${name}", which is not connected. Connect it with "./parley models set --provider ${name} --key-stdin".`,
      { retryable: false },
    );
  },
});
