import { median, perSecond, type Plan } from '../../compare.ts';
import { startBare, startSelecting } from '../../program.ts';
import { fireAll, startRegion } from '../../region.ts';

/**
 * Compares three ways to verify a key: from memory, by one indexed SELECT per request, and not at all. Each of the
 * three ways runs with one and with three processes.
 */
export async function verify(plan: Plan): Promise<string[]> {
  await using region = await startRegion(3);
  const { key } = await region.tenant();
  const ways = {
    'bare HTTP, nothing verified': await Promise.all([0, 1, 2].map(() => startBare())),
    'Parley, from memory': region.cluster.nodes.map(({ url }) => ({ origin: url })),
    'one indexed SELECT a request': await Promise.all(
      [0, 1, 2].map(() => startSelecting(region.cluster.databaseUrl, region.pepper)),
    ),
  };
  const shot = { method: 'GET', path: '/api/me', headers: { Authorization: `Bearer ${key.value}` } } as const;
  const lines: string[] = [];
  try {
    for (const count of [1, 3]) {
      const rates = new Map<string, number[]>();
      const p99s = new Map<string, number[]>();
      // The servers alternate, so that other load of the machine affects all alike. The first round of measurements is
      // not counted, because it fills caches.
      for (let round = 0; round <= plan.rounds; round += 1) {
        for (const [name, servers] of Object.entries(ways)) {
          const hits = await fireAll(
            servers.slice(0, count).map(({ origin }) => origin),
            shot,
            round === 0 ? 1 : plan.seconds,
          );
          if (hits.refused + hits.broken > 0)
            throw new Error(`${name}: ${hits.refused} refused, ${hits.broken} broken`);
          if (round === 0) continue;
          rates.set(name, [...(rates.get(name) ?? []), hits.perSecond]);
          p99s.set(name, [...(p99s.get(name) ?? []), hits.p99]);
        }
      }
      const bare = median(rates.values().next().value!);
      for (const [name, all] of rates) {
        const rate = median(all);
        lines.push(
          `${count} ${count === 1 ? 'process  ' : 'processes'} ${name.padEnd(30)} ${perSecond({ perSecond: rate }).padStart(9)}   ${(rate / bare).toFixed(2)} × bare   p99 ${median(p99s.get(name)!).toFixed(1)} ms`,
        );
      }
    }
  } finally {
    for (const servers of Object.values(ways))
      for (const server of servers) if (Symbol.asyncDispose in server) await server[Symbol.asyncDispose]();
  }
  return lines;
}
