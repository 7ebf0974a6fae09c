import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLastUsed, type LastUsed, type Use } from './last-used.ts';

const clock = { wall: () => Date.now(), monotonic: () => performance.now() };

let writes: Use[];
let isDown: boolean;
let errors: unknown[];
let lastUsed: LastUsed;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  [writes, errors, isDown] = [[], [], false];
  lastUsed = createLastUsed({
    clock,
    write: async (uses) => {
      if (isDown) throw new Error('down');
      writes.push(...uses);
    },
    onError: (error) => errors.push(error),
  });
});
afterEach(() => vi.useRealTimers());

const use = (known: number | null = null) => lastUsed.record('org_1', 'key_1', known);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const written = () => writes.map(({ at }) => at.getTime() - 1_000_000_000);

describe('last used', () => {
  it('the first use is written immediately', async () => {
    use();
    await pass(1);
    expect(written()).toEqual([0]);
  });

  it('after the first use, uses are written at most once a minute', async () => {
    for (let second = 0; second < 300; second++) {
      use();
      await pass(1_000);
    }
    expect(written()).toEqual([0, 60_000, 120_000, 180_000, 240_000]);
  });

  it('the last of several uses is written, even if no call follows', async () => {
    use();
    await pass(20_000);
    use();
    await pass(50_000);
    expect(written()).toEqual([0]);
    await pass(30_000);
    expect(written()).toEqual([0, 20_000]);
    expect(writes[1]!.isLast).toBe(true);
  });

  it('the last use in memory starts with the value in the database', async () => {
    use(Date.now() - 10_000);
    await pass(1_000);
    expect(written()).toEqual([]);
    await pass(50_000);
    use();
    await pass(1);
    expect(written()).toEqual([51_000]);
  });

  it('a failed write of the last use affects no call, and is retried', async () => {
    isDown = true;
    use();
    await pass(1);
    expect(errors).toHaveLength(1);
    isDown = false;
    await pass(10);
    use();
    await pass(1);
    expect(written()).toEqual([11]);
  });

  it('all uses are written when the program stops', async () => {
    use();
    await pass(1);
    await pass(5_000);
    use();
    await lastUsed.stop();
    expect(written()).toEqual([0, 5_001]);
  });
});
