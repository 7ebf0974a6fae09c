import type { Meter } from './cost.ts';
import { CONNECTIONS, fire, type Hits, type Shot } from './load.ts';

/** The extent of a measurement. With a smaller `scale`, sections that count rows instead of seconds are shorter. */
export type Plan = { rounds: number; seconds: number; scale: number };

/**
 * Puts both servers under the same load in alternation (A B A B …), so that other load of the machine affects both
 * alike.
 */
export type Comparison = { ratio: number; ours: Hits; bare: Hits; ratios: number[] };

const WARM_UP_SECONDS = 2;

export async function compare(plan: Plan, bare: string, ours: string, shot: Shot, meter?: Meter): Promise<Comparison> {
  await fire(bare, shot, WARM_UP_SECONDS);
  await fire(ours, shot, WARM_UP_SECONDS);
  const pairs: { bare: Hits; ours: Hits }[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    const bareHits = await fire(bare, shot, plan.seconds);
    const measured = () => fire(ours, shot, plan.seconds);
    pairs.push({
      bare: bareHits,
      ours: meter ? await meter.around(measured, (hits) => hits.answered) : await measured(),
    });
  }
  const ratios = pairs.map((pair) => pair.ours.perSecond / pair.bare.perSecond);
  return {
    ratio: median(ratios),
    ratios,
    bare: middle(pairs.map((pair) => pair.bare)),
    ours: middle(pairs.map((pair) => pair.ours)),
  };
}

/** Returns the medians of the rounds, but the sum of the failures, because a failure must not disappear in a median. */
const middle = (rounds: readonly Hits[]): Hits => ({
  perSecond: median(rounds.map((round) => round.perSecond)),
  p50: median(rounds.map((round) => round.p50)),
  p99: median(rounds.map((round) => round.p99)),
  answered: sum(rounds.map((round) => round.answered)),
  refused: sum(rounds.map((round) => round.refused)),
  broken: sum(rounds.map((round) => round.broken)),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function comparisonText(name: string, { ratio, ratios, ours, bare }: Comparison): string {
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const faults = ours.refused + ours.broken;
  return [
    `${name.padEnd(34)} ${ratio.toFixed(2)} × bare (${spread})`,
    `${perSecond(ours)} against ${perSecond(bare)}`,
    `p50 ${ours.p50.toFixed(1)} ms, p99 ${ours.p99.toFixed(1)} ms`,
    ...(faults > 0 ? [`${ours.refused} NOT 2xx, ${ours.broken} BROKEN`] : []),
  ].join('   ');
}

export const perSecond = (hits: Pick<Hits, 'perSecond'>): string =>
  `${Math.round(hits.perSecond).toLocaleString('en')}/s`;

export const SETTING = `${CONNECTIONS} connections`;
