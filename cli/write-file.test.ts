import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { Failure } from './failure.ts';
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
