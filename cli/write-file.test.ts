import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { Failure } from './failure.ts';
import { stage } from './testing/run-cli.ts';
import { downloadFrom } from './transport.ts';
import { toFile } from './write-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-write-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a download that ends early leaves no file, so that the command can be repeated', async () => {
  const file = path.join(folder, 'people.csv');
  const broken = async (write: (chunk: Buffer) => Promise<void>): Promise<void> => {
    await write(Buffer.from('external_id\r\n'));
    throw new Failure('server_unreachable', 'The connection ended.');
  };
  await expect(toFile(file, broken)).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(existsSync(file)).toBe(false);
  await toFile(file, (write) => write(Buffer.from('external_id\r\n')));
  expect(readFileSync(file, 'utf8')).toBe('external_id\r\n');
});

test.for(['before its headers', 'after a part'])('a download that stalls %s ends, and no file stays', async (when) => {
  const stalled = Promise.withResolvers<void>();
  await using server = await stage((_seen, reply) => {
    if (when === 'after a part') reply.writeHead(200).write('external_id\r\n');
    else stalled.resolve();
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const file = path.join(folder, 'stalled.csv');
    const download = toFile(file, (write) =>
      downloadFrom(server.url, { method: 'GET', path: '/people.csv' }, async (chunk) => {
        // The time of a slow disk does not count.
        vi.advanceTimersByTime(61_000);
        await write(chunk);
        stalled.resolve();
      }),
    );
    const ended = download.catch((error: unknown) => error);
    await stalled.promise;
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(59_999);
    expect(existsSync(file)).toBe(true);
    vi.advanceTimersByTime(1);
    const message = expect.stringContaining('sent no data for 60 seconds');
    expect(await ended).toMatchObject({ code: 'server_too_slow', message });
    expect(existsSync(file)).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test('a disk that takes only a part of a file is reported, and no file stays', async () => {
  const file = path.join(folder, 'large.csv');
  const program = `import { toFile } from ${JSON.stringify(path.resolve('cli/write-file.ts'))};
    await toFile(${JSON.stringify(file)}, (write) => write(Buffer.alloc(9_000)));`;
  // The limit is 8 blocks of 512 or 1,024 bytes.
  const limited = promisify(execFile)('sh', ['-c', 'ulimit -f 8; exec "$0" --input-type=module', process.execPath]);
  limited.child.stdin!.end(program);
  await expect(limited).rejects.toMatchObject({
    stderr: expect.stringMatching(/large\.csv cannot be written \(EFBIG\)/),
  });
  expect(existsSync(file)).toBe(false);
});
