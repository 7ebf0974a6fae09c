import { median, perSecond, type Plan } from '../../compare.ts';
import { costOf } from '../../cost.ts';
import { fireAll, startRegion } from '../../region.ts';

/**
 * Measures accepted calls on one, two and three processes with one database, and the database cost of one accepted
 * call.
 */
export async function throughput(plan: Plan): Promise<string[]> {
  await using region = await startRegion(3);
  const { key, triggerPath } = await region.tenant();
  const headers = { Authorization: `Bearer ${key.value}` };
  const shot = { method: 'POST', path: triggerPath, headers } as const;
  const lines: string[] = [];
  for (const count of [1, 2, 3]) {
    const origins = region.cluster.nodes.slice(0, count).map(({ url }) => url);
    await fireAll(origins, shot, 2);
    const before = await costOf(region.db);
    const rounds = [];
    for (let round = 0; round < plan.rounds; round += 1) rounds.push(await fireAll(origins, shot, plan.seconds));
    const after = await costOf(region.db);
    const accepted = rounds.reduce((total, hits) => total + hits.answered, 0);
    const faults = rounds.reduce((total, hits) => total + hits.refused + hits.broken, 0);
    const each = (part: 'transactions' | 'walBytes' | 'cpuMs'): number => (after[part] - before[part]) / accepted;
    lines.push(
      `${count} ${count === 1 ? 'process:  ' : 'processes:'} ${perSecond({ perSecond: median(rounds.map((hits) => hits.perSecond)) })}, p99 ${median(rounds.map((hits) => hits.p99)).toFixed(0)} ms; a call costs the database ${(each('cpuMs') * 1_000).toFixed(0)} µs of a core, ${each('walBytes').toFixed(0)} bytes of WAL, ${each('transactions').toFixed(3)} transactions${faults > 0 ? `; ${faults} NOT 2xx` : ''}`,
    );
  }
  return lines;
}
