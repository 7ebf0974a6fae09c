import { call, isUnknown, type Ledger } from './ledger.ts';
import type { Node } from './node.ts';
import type { Random } from './random.ts';
import type { Tenant } from './region.ts';

/**
 * This number of callers for each node gives a heavy but limited load. Each caller waits for its response and then for
 * a moment.
 */
const CALLERS = 5;
const LONGEST_THOUGHT_MS = 12;
const MAX_CALLS = 40_000;

export type Load = {
  /** The promise resolves when the last call has its response. */
  stop(): Promise<void>;
};

/**
 * The callers send new calls, repeat earlier calls at any node, send one call to all nodes at the same time, and only
 * verify keys.
 */
export function startLoad(trial: {
  ledger: Ledger;
  tenant: Tenant;
  nodes: () => readonly Node[];
  random: Random;
  /** The number of callers per node. Use fewer callers for a region that heavy load would disturb. */
  callers?: number;
}): Load {
  const { ledger, tenant, nodes, random, callers = CALLERS } = trial;
  const repeatable: { key: number; idempotencyKey: string }[] = [];
  let stopping = false;
  let made = 0;

  async function one(node: Node, random: Random): Promise<void> {
    const key = random.between(0, tenant.keys.length - 1);
    const what = random.between(1, 100);
    if (what <= 25) return void (await call(ledger, tenant, node, key, 'me'));
    const again = what <= 35 && repeatable.length > 0 ? random.pick(repeatable) : null;
    if (again !== null) return void (await call(ledger, tenant, node, again.key, 'trigger', again.idempotencyKey));
    const idempotencyKey = `${tenant.orgId}-${++made}`;
    const everywhere = what <= 40 ? nodes() : [node];
    const calls = await Promise.all(everywhere.map((one) => call(ledger, tenant, one, key, 'trigger', idempotencyKey)));
    if (calls.some(isUnknown) || random.chance(0.1)) repeatable.push({ key, idempotencyKey });
    if (repeatable.length > 200) repeatable.shift();
  }

  async function caller(at: number, random: Random): Promise<void> {
    while (!stopping && made < MAX_CALLS) {
      const there = nodes();
      if (there.length > 0) await one(there[at % there.length]!, random);
      await new Promise((resolve) => setTimeout(resolve, random.between(0, LONGEST_THOUGHT_MS)));
    }
  }

  const running = Array.from({ length: callers * nodes().length }, (_, at) =>
    caller(at, random.branch(`caller ${at}`)),
  );
  return {
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}
