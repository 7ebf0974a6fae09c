import { expect, test, vi } from 'vitest';
import { createVisitorLimit } from './visitor-limit.ts';

const limits = { visitor: 1, address: 2, channel: 2 };
const call = (address: string, visitor: string) => ({ address, channelId: 'channel_1', visitor });

test('a call that the limit of the channel refuses does not extend the wait of its visitor', async () => {
  vi.useFakeTimers();
  try {
    const { take } = createVisitorLimit({ open: limits, say: limits, send_file: limits, look: limits });
    await take('say', call('192.0.2.1', 'a'));
    await take('say', call('192.0.2.2', 'b'));
    vi.advanceTimersByTime(50_000);
    await expect(take('say', call('192.0.2.3', 'c'))).rejects.toMatchObject({ code: 'rate_limited' });
    vi.advanceTimersByTime(10_001);
    await expect(take('say', call('192.0.2.3', 'c'))).resolves.toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
