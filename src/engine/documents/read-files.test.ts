import { Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { docx, pdf, pdfPage } from '../../../test/office-files.ts';
import { createReadFiles, type ReadFiles, type ReadFilesOptions } from './read-files.ts';

const running: ReadFiles[] = [];
afterEach(async () => {
  for (const files of running.splice(0)) await files.stop();
});

function givenFiles(more: Partial<ReadFilesOptions> = {}) {
  const files = createReadFiles({ log: pino({ level: 'silent' }), ...more });
  running.push(files);
  return (bytes: Uint8Array, orgId = 'org') =>
    files.read(orgId, { kind: 'file', bytes, hints: {} }).then(
      ({ text }) => text,
      (error: Error & { code?: string }) => error.code ?? error.constructor.name,
    );
}

test('reading a file in a thread takes nearly no time of the main thread', async () => {
  const read = givenFiles();
  const large = pdf(Array.from({ length: 300 }, (_, at) => pdfPage(`Line of page ${at}`, 'Words.')));
  let text = '';
  const spent = await cpuMsUntil(async () => {
    text = await read(large);
  });
  expect(text).toContain('Line of page 299');
  expect(spent).toBeLessThan(300);
  expect(await read(await docx())).toContain('# Shop guide');
});

test('a PDF that inflates without end fails alone: the process does not grow, and the next file is read', async () => {
  const read = givenFiles({ maxMemory: 150 * 1024 * 1024 });
  const before = process.memoryUsage().rss;
  // 400 MB of drawing in 400 kB.
  const packed = deflateSync(Buffer.alloc(400 * 1024 * 1024, 'BT ET '));
  const bomb = Buffer.concat([
    Buffer.from(
      '%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n' +
        '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n' +
        `4 0 obj<</Filter/FlateDecode/Length ${packed.length}>>stream\n`,
    ),
    packed,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  ]);
  const outcomes = await Promise.all([read(bomb), read(Buffer.from('Words.'), 'another')]);
  expect(outcomes).toEqual(['too_complex', 'Words.']);
  expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
});

/** Hangs, dies or fills its memory as the file says; answers every other file. */
const FRAGILE = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ bytes }) => {
  const what = Buffer.from(bytes).toString();
  if (what === 'die') process.exit(1);
  if (what === 'throw') throw new Error('x');
  if (what === 'hang') for (;;);
  if (what === 'fill') for (const all = [];;) all.push({ like: [all.length] });
  if (what === 'outside') { globalThis.all = []; for (;;) all.push(new Uint8Array(1e6).fill(1)); }
  parentPort.postMessage({ ok: { text: what } });
});`;

test.each(['die', 'throw', 'hang', 'fill', 'outside'])('a file that makes the thread "%s" fails alone', async (how) => {
  const startThread = (): Worker =>
    new Worker(FRAGILE, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 512 } });
  const read = givenFiles({ startThread, limitMs: 2_000, maxMemory: 64 * 1024 * 1024 });
  const outcomes = await Promise.all([read(Buffer.from(how)), read(Buffer.from('a')), read(Buffer.from('b'), 'other')]);
  expect(outcomes).toEqual(['too_complex', 'a', 'b']);
});

test('a file that needs too much memory is stopped before its time limit', async () => {
  // More than is allowed, and no more than a machine has: without the watch only the time limit would end it.
  const hungry = `
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => {
      globalThis.all = Array.from({ length: 50 }, () => new Uint8Array(4e6).fill(1));
      for (;;);
    });`;
  const files = createReadFiles({
    log: pino({ level: 'silent' }),
    startThread: () => new Worker(hungry, { eval: true }),
    limitMs: 5_000,
    maxMemory: 64 * 1024 * 1024,
  });
  running.push(files);
  const task = { kind: 'file', bytes: Buffer.from('a'), hints: {} } as const;
  await expect(files.read('org', task)).rejects.toThrow('The file needs too much memory to read.');
});

test('organizations take turns, and none can fill the queue for the others', async () => {
  const startThread = (): Worker => new Worker(FRAGILE, { eval: true });
  const read = givenFiles({ startThread });
  const order: string[] = [];
  const one = async (text: string, orgId: string): Promise<void> => {
    order.push(await read(Buffer.from(text), orgId));
  };
  const many = Array.from({ length: 60 }, (_, at) => one(`a${at}`, 'a'));
  await Promise.all([...many, one('b', 'b')]);
  expect(order.filter((done) => done === 'FilesBusy').length).toBe(9);
  expect(order.filter((done) => done !== 'FilesBusy').indexOf('b')).toBeLessThan(4);
});

test('large files of one organization leave space for other organizations', async () => {
  const read = givenFiles({ startThread: () => new Worker(FRAGILE, { eval: true }) });
  const large = Buffer.alloc(10 * 1024 * 1024, 'a');
  // The thread reads the first file. Three files wait, and the others are refused.
  const outcomes = Promise.all(Array.from({ length: 14 }, async () => (await read(large, 'a')).slice(0, 9)));
  expect(await read(large, 'b')).toHaveLength(large.length);
  expect((await outcomes).filter((one) => one !== 'FilesBusy')).toHaveLength(4);
});

test('the thread ends after a time without files', async () => {
  const threads: Worker[] = [];
  const startThread = (): Worker => (threads.push(new Worker(FRAGILE, { eval: true })), threads.at(-1)!);
  const read = givenFiles({ startThread, idleMs: 20 });
  await read(Buffer.from('a'));
  await expect.poll(() => threads[0]!.threadId).toBe(-1);
  expect(await read(Buffer.from('b'))).toBe('b');
  expect(threads).toHaveLength(2);
});
