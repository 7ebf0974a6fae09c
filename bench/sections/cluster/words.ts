import { openStream } from '../../../test/read-stream.ts';
import { FAKE_MODEL_KEY, startFakeModel } from '../../../test/fakes/model.ts';
import { setModel } from '../../../src/features/models/set-model.ts';
import { agent } from '../../../src/store/schema/agent.ts';
import { eq } from 'drizzle-orm';
import { quantile, type Region, startRegion, type Tenant } from '../../region.ts';

const RUNS = 100;
const PIECES = Array.from({ length: 40 }, (_, n) => ` word${n}`);
/** The interval between the words of a fast model. */
const GAP_MS = 10;

/**
 * Measures how long the provider's first delta takes through worker, database and node to the reader of the run. The
 * turns of this section run one after another.
 */
export async function words(): Promise<string[]> {
  const model = await startFakeModel();
  await using region = await startRegion(1, { workers: 1 });
  const tenant = await region.tenant();
  await connect(region, tenant, model.baseUrl('openai_compatible'));
  const read = async (): Promise<number> => {
    let written = 0;
    model.script({
      pieces: PIECES,
      next: async (piece) => {
        if (piece > 0) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        else written = performance.now();
      },
    });
    const stream = await openStream(region.cluster.nodes[0]!.url + tenant.triggerPath, {
      method: 'POST',
      key: tenant.key.value,
      body: { message: 'Hi' },
      headers: { accept: 'text/event-stream' },
    });
    await stream.next('delta');
    const first = performance.now() - written;
    await stream.rest();
    return first;
  };
  try {
    for (let warm = 0; warm < 5; warm++) await read();
    const alone = [];
    for (let run = 0; run < RUNS; run++) alone.push(await read());
    return [
      `first words after the provider wrote them, ${RUNS} turns: p50 ${quantileText(alone, 0.5)}, p99 ${quantileText(alone, 0.99)}`,
    ];
  } finally {
    await model.close();
  }
}

const quantileText = (times: number[], share: number): string => `${quantile(times, share).toFixed(1)} ms`;

async function connect({ db, sealingKey }: Region, { orgId, triggerPath }: Tenant, baseUrl: string): Promise<void> {
  const agentId = triggerPath.split('/')[3]!;
  const definition = { provider: 'openai_compatible' as const, model: 'fake' };
  await db.update(agent).set({ draft: definition, published: definition }).where(eq(agent.id, agentId));
  const deps = { db, egress: { check: async () => {} }, sealingKey };
  const actor = { userId: 'bench', address: null, requestId: null };
  await setModel(deps, orgId, 'openai_compatible', { base_url: baseUrl, key: FAKE_MODEL_KEY }, actor);
}
