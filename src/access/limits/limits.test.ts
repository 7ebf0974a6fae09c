import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '../../../contract/limits.ts';
import { PROBLEMS, type Refusal } from '../../../contract/problems.ts';
import { createLimits } from './limits.ts';
import type { Caller } from '../types.ts';
import type { SharedCounters, Taken } from './shared-counters.ts';

const caller = (keyId: string, orgId = 'org_1'): Caller => ({
  keyId,
  orgId,
  orgName: 'Test',
  plan: 'paid',
  label: 'Test',
  prefix: 'parley_us_abcdef',
  scope: 'organization',
  agentId: null,
  campaignId: null,
  permissions: ['triggers'],
  networks: null,
  limits: null,
});
const limitsOf = (key: number, organization: number): RateLimits => ({
  ...DEFAULT_RATE_LIMITS,
  triggers: { key, organization },
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const refusalOf = async (call: Promise<unknown>): Promise<Refusal> =>
  call.then(
    () => {
      throw new Error('was not refused');
    },
    (refusal: Refusal) => refusal,
  );

describe('limits', () => {
  it('a call over the limit is refused with Retry-After 60, at any time of the minute', async () => {
    const limits = createLimits(limitsOf(3, 100));
    for (let i = 0; i < 3; i++) await limits.limit(caller('key_a'), 'triggers');
    vi.advanceTimersByTime(45_000);
    const refusal = await refusalOf(limits.limit(caller('key_a'), 'triggers'));
    expect(refusal.code).toBe('rate_limited');
    expect(PROBLEMS[refusal.code].retryAfterSeconds).toBe(60);
    expect(refusal.extras.headers).toEqual({
      'RateLimit-Policy': '"key";q=3;w=60, "organization";q=100;w=60',
      RateLimit: '"key";r=0;t=15',
    });
    await limits.limit(caller('key_b'), 'triggers');
    await limits.limit(caller('key_a'), 'channels');
  });

  it('the limit reports the remaining calls', async () => {
    const limits = createLimits(limitsOf(3, 100));
    await limits.limit(caller('key_a'), 'triggers');
    vi.advanceTimersByTime(10_000);
    expect(await limits.limit(caller('key_a'), 'triggers')).toEqual({
      policy: '"key";q=3;w=60, "organization";q=100;w=60',
      state: '"key";r=1;t=50, "organization";r=98;t=50',
    });
  });

  it('the next call is accepted after exactly 60 seconds without calls, however many were refused', async () => {
    for (const refusedFor of [0, 1_000, 59_000, 59_999]) {
      const limits = createLimits(limitsOf(2, 100));
      for (let i = 0; i < 2; i++) await limits.limit(caller('key_a'), 'triggers');
      for (let i = 0; i < 50; i++) await refusalOf(limits.limit(caller('key_a'), 'triggers'));
      vi.advanceTimersByTime(refusedFor);
      await refusalOf(limits.limit(caller('key_a'), 'triggers'));
      vi.advanceTimersByTime(60_000);
      expect((await limits.limit(caller('key_a'), 'triggers')).state).toContain('"key";r=1');
    }
  });

  it('a call that the limit of the key refuses does not count for the organization, and the reverse', async () => {
    const limits = createLimits(limitsOf(2, 3));
    for (let i = 0; i < 2; i++) await limits.limit(caller('key_a'), 'triggers');
    for (let i = 0; i < 20; i++) await refusalOf(limits.limit(caller('key_a'), 'triggers'));
    await limits.limit(caller('key_b'), 'triggers');
    const refusal = await refusalOf(limits.limit(caller('key_c'), 'triggers'));
    expect(refusal.message).toContain('organization');
    vi.advanceTimersByTime(59_000);
    for (let i = 0; i < 20; i++) await refusalOf(limits.limit(caller('key_d'), 'triggers'));
    vi.advanceTimersByTime(1_000);
    for (let i = 0; i < 2; i++) await limits.limit(caller('key_d'), 'triggers');
  });

  it('each of N nodes gets its share of every limit, and at least one call', async () => {
    const limits = createLimits(limitsOf(7, 9));
    limits.share(3);
    for (let i = 0; i < 2; i++) await limits.limit(caller('key_a'), 'triggers');
    await refusalOf(limits.limit(caller('key_a'), 'triggers'));
    await limits.limit(caller('key_b'), 'triggers');
    for (let i = 0; i < 20; i++) await refusalOf(limits.limit(caller('key_c'), 'triggers'));
    // The other nodes leave: refused calls were not counted in the meantime.
    limits.share(1);
    for (let i = 0; i < 5; i++) await limits.limit(caller('key_a'), 'triggers');
    limits.share(100);
    await limits.limit(caller('key_d', 'org_2'), 'triggers');
    expect((await refusalOf(limits.limit(caller('key_d', 'org_2'), 'triggers'))).code).toBe('rate_limited');
  });
});

describe('limits while the shared counters are lost', () => {
  /** Two nodes share counters: 12 of 20 calls of the key were made, two of them at this node. */
  async function givenLoss() {
    const state: { isWell: boolean; respond?: (taken: Taken, isLate: boolean) => void } = { isWell: true };
    const counts = [
      { used: 12, mine: 2, msLeft: 50_000 },
      { used: 12, mine: 2, msLeft: 40_000 },
    ];
    const shared = {
      isWell: () => state.isWell,
      restoreFrom: () => {},
      take: async (_, onResponse) => {
        state.respond = onResponse;
        onResponse?.({ refusedBy: null, counts }, false);
        return { refusedBy: null, counts };
      },
    } as Partial<SharedCounters> as SharedCounters;
    const limits = createLimits(limitsOf(20, 100), shared);
    limits.share(2);
    await limits.limit(caller('key_a'), 'triggers');
    state.isWell = false;
    return { limits, late: (taken: Taken) => state.respond?.(taken, true) };
  }

  it('the node takes its share of the calls that were left at the last response', async () => {
    const { limits } = await givenLoss();
    expect(await limits.limit(caller('key_a'), 'triggers')).toEqual({
      policy: '"key";q=10;w=60, "organization";q=50;w=60',
      state: '"key";r=3;t=50, "organization";r=43;t=40',
    });
    for (let i = 0; i < 3; i++) await limits.limit(caller('key_a'), 'triggers');
    expect((await refusalOf(limits.limit(caller('key_a'), 'triggers'))).extras.headers).toEqual({
      'RateLimit-Policy': '"key";q=10;w=60, "organization";q=50;w=60',
      RateLimit: '"key";r=0;t=50',
    });
    vi.advanceTimersByTime(50_000);
    for (let i = 0; i < 10; i++) await limits.limit(caller('key_a'), 'triggers');
    await refusalOf(limits.limit(caller('key_a'), 'triggers'));
  });

  it('a late response lowers the share, and does not change the number of own calls', async () => {
    const { limits, late } = await givenLoss();
    late({ refusedBy: null, counts: [16, 16].map((used) => ({ used, mine: 6, msLeft: 50_000 })) });
    for (let i = 0; i < 2; i++) await limits.limit(caller('key_a'), 'triggers');
    await refusalOf(limits.limit(caller('key_a'), 'triggers'));
    late({ refusedBy: 1, counts: [{ used: 100, mine: 6, msLeft: 40_000 }] });
    expect((await refusalOf(limits.limit(caller('key_b'), 'triggers'))).message).toContain('organization');
  });
});
