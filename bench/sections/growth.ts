import { median, type Plan } from '../compare.ts';
import { startProgram } from '../program.ts';
import { givenKey } from '../../test/factories.ts';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { call, type Caller, type GrowthCall, growthCalls, signIn } from '../../test/growth/calls.ts';
import { fill, OWNER, prepareGrowth } from '../../test/growth/insert-rows.ts';

const FEW = 500;
const MANY = 1_000_000;
const CALLS = 20;
/** A call counts as slow if it exceeds both limits. */
const MOST_RATIO = 5;
const MOST_MS = 60;

/**
 * Measures whether lists, searches and counts become slower as an organization grows. The section makes each call of
 * both APIs with 500 and with a million conversations and end users in the same database.
 */
export async function growth(plan: Plan): Promise<string[]> {
  await using program = await startProgram('api');
  const { db, orgId, digestOf, origin } = program;
  const [key, campaignKey] = [mintKey('us'), mintKey('us')];
  const keyId = await givenKey(db, orgId, {
    digest: digestOf(key),
    permissions: ['triggers', 'channels', 'end_users'],
  });
  const grown = await prepareGrowth(db, orgId, keyId);
  const { campaignId } = grown;
  await givenKey(db, orgId, {
    digest: digestOf(campaignKey),
    scope: 'campaign',
    campaignId,
    permissions: ['campaigns'],
  });
  await fill(db, grown, 0, FEW);
  const calls = await growthCalls(db, grown);
  const caller = { origin, key, campaignKey, cookie: await signIn(origin, OWNER) };
  const small = await timesOf(caller, calls, plan);
  const count = Math.max(FEW, Math.round(MANY * plan.scale));
  await fill(db, grown, FEW, count);
  const large = await timesOf(caller, calls, plan);
  return [
    `${count.toLocaleString('en')} conversations and end users against ${FEW}: median of ${CALLS * plan.rounds} calls`,
    ...calls.map(({ name }, index) => {
      const [before, after] = [small[index]!, large[index]!];
      const ratio = after / before;
      const slow = ratio > MOST_RATIO && after > MOST_MS ? '   SLOW' : '';
      return `${name.padEnd(44)} ${before.toFixed(1)} ms → ${after.toFixed(1)} ms   ${ratio.toFixed(1)} ×${slow}`;
    }),
  ];
}

async function timesOf(caller: Caller, calls: readonly GrowthCall[], plan: Plan): Promise<number[]> {
  const medians: number[] = [];
  for (const one of calls) {
    const times: number[] = [];
    for (let turn = -2; turn < CALLS * plan.rounds; turn++) {
      const begun = performance.now();
      const { status } = await call(caller, one);
      if (status !== 200) throw new Error(`${one.name} was answered with ${status}.`);
      // The first two calls only fill caches, so they are not counted.
      if (turn >= 0) times.push(performance.now() - begun);
    }
    medians.push(median(times));
  }
  return medians;
}
