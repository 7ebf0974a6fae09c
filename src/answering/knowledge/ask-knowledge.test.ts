import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { manualText } from '../../../test/documents.ts';
import { createKnowledge, type Knowledge, type KnowledgeOptions } from './ask-knowledge.ts';
import type { ThreadData } from './messages.ts';

const running: Knowledge[] = [];
afterEach(async () => {
  for (const knowledge of running.splice(0)) await knowledge.stop();
});

function givenKnowledge(texts: Record<string, string[]>, more: Partial<KnowledgeOptions> = {}) {
  const reads: string[] = [];
  const knowledge = createKnowledge({
    log: pino({ level: 'silent' }),
    readDocument: async (_orgId, agentId, after) => {
      const at = after === null ? 0 : Number(after) + 1;
      const text = texts[agentId]?.[at];
      reads.push(`${agentId} ${at}`);
      return text === undefined ? null : { id: String(at), name: `Guide ${at}`, text };
    },
    ...more,
  });
  running.push(knowledge);
  const of = (agentId: string, edition = '1') =>
    knowledge.of({ orgId: `org of ${agentId}`, agentId, edition, bytes: 1 });
  const ask = async (agentId: string, question: string, edition?: string) =>
    (await of(agentId, edition).answer(question)).findings;
  return { of, ask, reads };
}

const HOURS = ['The shop opens at 9 am.'];

describe('the thread', () => {
  test('the thread finds the answer in the documents', async () => {
    const { ask, reads } = givenKnowledge({ a: ['Parking is free.', ...HOURS] });
    expect((await ask('a', 'When does the shop open?'))[0]!.passage).toEqual({
      document_id: '1',
      document: 'Guide 1',
      section: null,
      heading: null,
      text: HOURS[0],
    });
    expect(await ask('a', 'Do you sell boats?')).toEqual([]);
    expect(reads).toEqual(['a 0', 'a 1', 'a 2']);
  });

  test('a build takes little time of the main thread, and other questions are answered during the build', async () => {
    const large = Array.from({ length: 12 }, (_, at) => manualText(128 * 1024, at + 1));
    const { ask } = givenKnowledge({ large, small: HOURS });
    const answered: string[] = [];
    const spent = await cpuMsUntil(async () => {
      const first = ask('large', 'What is bababa?').then(() => answered.push('large'));
      for (let round = 0; round < 3; round++) await ask('small', 'When does the shop open?');
      answered.push('small');
      await first;
    });
    expect(answered).toEqual(['small', 'large']);
    expect(spent).toBeLessThan(500);
  });

  test('a search returns all passages of small documents in order, and the best passages of larger ones', async () => {
    const { of } = givenKnowledge({ a: ['Parking is free.', ...HOURS, 'Dogs are welcome.'] });
    const textsFor = async (tokens: number) => {
      const { whole, findings, documents } = await of('a').gather('When does the shop open?', '', tokens);
      return { whole, texts: findings.map(({ passage }) => passage.text), documents };
    };
    const documents = ['Guide 0', 'Guide 1', 'Guide 2'];
    expect(await textsFor(1_000)).toEqual({
      whole: true,
      texts: ['Parking is free.', ...HOURS, 'Dogs are welcome.'],
      documents,
    });
    expect(await textsFor(30)).toEqual({ whole: false, texts: HOURS, documents });
  });

  test('a failure to load documents is reported, and the next question loads them again', async () => {
    let isAway = true;
    const { ask } = givenKnowledge(
      {},
      {
        readDocument: async (_orgId, _agentId, after) => {
          if (isAway) throw new Error('the database is away');
          return after === null ? { id: '0', name: 'Guide', text: HOURS[0]! } : null;
        },
      },
    );
    await expect(ask('a', 'When does the shop open?')).rejects.toMatchObject({
      code: 'knowledge_failed',
      retryable: true,
    });
    isAway = false;
    expect(await ask('a', 'When does the shop open?')).toHaveLength(1);
  });
});

/** Answers every question, but exits at "die", runs out of memory at "fill", and never ends at "hang". */
const FRAGILE = `
const { parentPort, workerData: { beacon } } = require('node:worker_threads');
parentPort.on('message', ({ job, question }) => setTimeout(() => {
  Atomics.store(beacon, 0, job);
  if (question.text === 'die') process.exit(1);
  if (question.text === 'hang') for (;;);
  if (question.text === 'fill') for (const all = [];;) all.push({ like: [all.length] });
  Atomics.store(beacon, 0, 0);
  setTimeout(() => parentPort.postMessage({ kind: 'found', job, found: { findings: [], offers: [] } }), 100);
}, 20));`;

describe('a thread that ends', () => {
  const threads: Worker[] = [];
  const startThread = (workerData: ThreadData): Worker => {
    threads.push(new Worker(FRAGILE, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 32 } }));
    return threads.at(-1)!;
  };
  afterEach(() => void threads.splice(0));

  test.each(['die', 'fill', 'hang'])(
    'if the thread ends by "%s", only the current question fails, and the others are retried',
    async (how) => {
      const { ask } = givenKnowledge({}, { startThread, stuckMs: 300 });
      const others = [ask('a', 'When?'), ask('b', 'When?')];
      await expect(ask('bad', how)).rejects.toMatchObject({ code: 'knowledge_failed', retryable: true });
      expect(await Promise.all(others)).toEqual([[], []]);
      expect(threads).toHaveLength(2);
    },
  );

  test('documents that killed the thread are not tried again soon, unless they change', async () => {
    const { ask } = givenKnowledge({}, { startThread });
    await expect(ask('bad', 'die')).rejects.toThrow('too large');
    await expect(ask('bad', 'die')).rejects.toThrow('failed recently');
    expect(threads).toHaveLength(1);
    expect(await ask('bad', 'When?', '2')).toEqual([]);
    expect(threads).toHaveLength(2);
  });

  test('a thread that cannot start is not restarted forever', async () => {
    const { ask } = givenKnowledge(
      {},
      { startThread: () => (threads.push(new Worker('process.exit(1)', { eval: true })), threads.at(-1)!) },
    );
    await expect(ask('a', 'When?')).rejects.toMatchObject({ code: 'knowledge_failed' });
    expect(threads).toHaveLength(3);
  });
});
