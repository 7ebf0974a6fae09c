import { describe, expect, test } from 'vitest';
import { embed } from '../../../test/fakes/embeddings.ts';
import { splitDocument } from '../../../test/build-knowledge.ts';
import { textToEmbed, vectorKeys } from '../../engine/knowledge/vector-key.ts';
import { quantize } from '../../engine/knowledge/vector-table.ts';
import { createAgentIndexes } from './agent-indexes.ts';
import type { Ask, FromThread, ToThread } from './messages.ts';

/** A library with documents in memory. `tick` is the processor time that each look at the clock takes. */
function givenLibrary(texts: Record<string, string[]>, { tick = 0, maxBytes = 1e9 } = {}) {
  const inbox: ToThread[] = [];
  const answers: FromThread[] = [];
  const read: string[] = [];
  const asks = new Map<number, Ask>();
  let [now, spent] = [0, 0];
  const library = createAgentIndexes({
    post: (message) => {
      if (message.kind !== 'want') return void answers.push(message);
      const { agentId } = asks.get(message.job)!;
      const at = message.after === null ? 0 : Number(message.after) + 1;
      const text = texts[agentId]![at];
      if (at === 0) read.push(agentId);
      inbox.push({
        kind: 'document',
        job: message.job,
        document: text === undefined ? null : { id: String(at), name: 'Guide', text },
      });
    },
    meter: { clock: () => (now += 1), cpu: () => (spent += tick), onJob: () => {} },
    maxBytes,
  });
  const settle = (): void => {
    while (inbox.length > 0) library.take(inbox.shift()!);
    while (library.work() || inbox.length > 0) while (inbox.length > 0) library.take(inbox.shift()!);
  };
  let job = 0;
  const put = (agentId: string, question: string, edition = '1', orgId = `org of ${agentId}`): number => {
    const bytes = texts[agentId]!.join('').length;
    const ask: Ask = {
      kind: 'ask',
      job: ++job,
      orgId,
      agentId,
      edition,
      bytes,
      question: { reader: 'person', text: question },
    };
    asks.set(job, ask);
    library.take(ask);
    return job;
  };
  const answerTo = (wanted: number): FromThread | undefined => answers.find((answer) => answer.job === wanted);
  const ask = (...about: Parameters<typeof put>): FromThread | undefined => {
    const asked = put(...about);
    settle();
    return answerTo(asked);
  };
  return { put, ask, settle, answerTo, answers, read };
}

const HOURS = ['The shop opens at 9 am.'];
const textsOf = (answer: FromThread | undefined): string[] =>
  answer?.kind === 'found' && 'findings' in answer.found
    ? answer.found.findings.map(({ passage }) => passage.text)
    : [answer?.kind ?? 'nothing'];

describe('the library', () => {
  test('an index is built once for all questions during the build and after it', () => {
    const { put, ask, settle, answerTo, read } = givenLibrary({ a: HOURS });
    const [first, second] = [put('a', 'When does the shop open?'), put('a', 'When does it open?')];
    settle();
    expect(textsOf(answerTo(first))).toEqual(HOURS);
    expect(textsOf(answerTo(second))).toEqual(HOURS);
    expect(textsOf(ask('a', 'When does the shop open?'))).toEqual(HOURS);
    expect(read).toEqual(['a']);
  });

  test('an index is built again when the documents have changed', () => {
    const texts = { a: HOURS };
    const { ask, read } = givenLibrary(texts);
    expect(textsOf(ask('a', 'When does the shop open?'))).toEqual(HOURS);
    texts.a = ['The shop opens at 10 am.'];
    expect(textsOf(ask('a', 'When does the shop open?', '2'))).toEqual(texts.a);
    expect(read).toEqual(['a', 'a']);
  });

  test('the least recently used index is removed when memory is short, and built again later', () => {
    const texts = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, [`${HOURS[0]} `.repeat(100)]]));
    const one = givenLibrary(texts);
    const all = ['a', 'b', 'a', 'c', 'a', 'b'];
    for (const name of all) expect(one.ask(name, 'When does the shop open?')?.kind).toBe('found');
    expect(one.read).toEqual(['a', 'b', 'c']);
    const short = givenLibrary(texts, { maxBytes: 24_000 });
    for (const name of all) expect(short.ask(name, 'When does the shop open?')?.kind).toBe('found');
    expect(short.read).toEqual(['a', 'b', 'c', 'b']);
  });

  test('other questions are answered during a large build', () => {
    const large = Array.from({ length: 20 }, (_, at) => `Word${at} and more.\n\n`.repeat(200));
    const { put, settle, answers } = givenLibrary({ large, small: HOURS });
    const [of, small] = [put('large', 'What is word3?'), put('small', 'When does the shop open?')];
    settle();
    expect(answers.map(({ job }) => job)).toEqual([small, of]);
  });

  test('the searches of organizations take turns', () => {
    const large = ['The shop opens at 9 am on day one.\n\n'.repeat(3_000)];
    const { put, ask, settle, answers } = givenLibrary({ large, small: HOURS });
    ask('large', 'When does the shop open?');
    ask('small', 'When does the shop open?');
    answers.length = 0;
    const busy = Array.from({ length: 5 }, () => put('large', 'When does the shop open on day one?'));
    const small = put('small', 'When does the shop open?');
    settle();
    expect(answers.map(({ job }) => job)).toEqual([small, ...busy]);
  });

  test('an organization has one build at a time, and many changes during it cause only one more', () => {
    const texts = { a: HOURS, b: HOURS };
    const { put, settle, answers, read } = givenLibrary(texts);
    for (let edition = 1; edition <= 100; edition++) {
      put('a', 'When does the shop open?', String(edition), 'org_1');
      put('b', 'When does the shop open?', String(edition), 'org_1');
    }
    settle();
    expect(answers.filter(({ kind }) => kind === 'found')).toHaveLength(200);
    expect(read.length).toBeLessThanOrEqual(3);
  });

  test('a build or search that takes too long is stopped, and the others continue', () => {
    const large = ['The shop opens at 9 am on day one.\n\n'.repeat(3_000)];
    const { put, settle, answerTo } = givenLibrary({ large, small: HOURS }, { tick: 2_000 });
    const [slow, small] = [put('large', 'When does the shop open?'), put('small', 'When does the shop open?')];
    settle();
    expect(answerTo(slow)).toMatchObject({ kind: 'failed', why: expect.stringContaining('seconds of work') as string });
    expect(textsOf(answerTo(small))).toEqual(HOURS);
  });
});

describe('vectors', () => {
  const text = Array.from({ length: 40 }, (_, at) => `Room ${at} has a window to the garden.`).join('\n\n');
  const space = { provider: 'openai', baseUrl: null, model: 'small' };

  /** A library whose passages all have the vector of `find`; counts the loads. */
  function givenVectors({ maxBytes = 1e9, without = 0, isHeld = false } = {}) {
    const keyOf = vectorKeys(space);
    const passages = splitDocument({ id: '0', name: 'Guide', text }).slice(without);
    const hashes = Buffer.concat(passages.map((one) => Buffer.from(keyOf(textToEmbed(one)), 'hex')));
    const vectors = Buffer.concat(passages.map((one) => Buffer.from(quantize(embed(one.text, 64)).buffer)));
    const inbox: ToThread[] = [];
    const delayed: ToThread[] = [];
    const found = new Map<number, FromThread>();
    let loads = 0;
    const library = createAgentIndexes({
      post: (message) => {
        const { job } = message;
        if (message.kind === 'want') {
          const document = message.after === null ? { id: '0', name: 'Guide', text } : null;
          inbox.push({ kind: 'document', job, document });
        } else if (message.kind === 'want_vectors') {
          if (message.after === null) loads++;
          const piece = message.after === null ? { hashes, vectors, last: { document: '0', hash: 'ff' } } : null;
          (isHeld ? delayed : inbox).push({ kind: 'vectors', job, piece });
        } else found.set(job, message);
      },
      meter: { clock: () => performance.now(), cpu: () => 0, onJob: () => {} },
      maxBytes,
    });
    let job = 0;
    const put = (edition = '1', tokens = 100, agentId = 'a', orgId = 'o'): number => {
      const vector = quantize(embed('Room 7', 64));
      const meaning = { vector, space, dimensions: 64, edition };
      const question = { reader: 'model' as const, text: 'Room 7', earlier: '', tokens, meaning };
      library.take({ kind: 'ask', job: ++job, orgId, agentId, edition: 'e', bytes: 1, question });
      return job;
    };
    const settle = (): void => {
      while (library.work() || inbox.length > 0) while (inbox.length > 0) library.take(inbox.shift()!);
    };
    const meaningOf = (asked: number): unknown => {
      const answer = found.get(asked);
      return answer?.kind === 'found' && 'meaning' in answer.found ? answer.found.meaning : answer?.kind;
    };
    const release = (): void => {
      isHeld = false;
      inbox.push(...delayed.splice(0));
      settle();
    };
    return { put, settle, meaningOf, release, loads: () => loads };
  }

  test('vectors are loaded once for all questions, and again if they changed', () => {
    const { put, settle, meaningOf, loads } = givenVectors();
    const asked = [put(), put()];
    settle();
    expect([...asked, put()].map((one) => (settle(), meaningOf(one)))).toEqual(['used', 'used', 'used']);
    expect(loads()).toBe(1);
    const again = put('2');
    settle();
    expect([meaningOf(again), loads()]).toEqual(['used', 2]);
  });

  test('the vectors of one organization use at most half of the memory, even if many agents load at once', () => {
    const { put, settle, meaningOf, release, loads } = givenVectors({ maxBytes: 3.5 * 40 * 64, isHeld: true });
    const asked = ['a', 'b', 'c'].map((agent) => put('1', 100, agent));
    settle();
    const other = put('1', 100, 'a', 'other');
    settle();
    expect([asked.map(meaningOf), meaningOf(other), loads()]).toEqual([
      [undefined, 'too_large', 'too_large'],
      undefined,
      2,
    ]);
    release();
    expect([meaningOf(asked[0]!), meaningOf(other)]).toEqual(['used', 'used']);
  });

  test('work that an index adds at its end is not lost if other work of its organization waits', () => {
    const { put, settle, meaningOf } = givenVectors();
    put();
    settle();
    // The index of agent "b" is built while the vectors of agent "a" are loaded, and the index of agent "c" waits.
    const asked = [put('1', 100, 'b'), put('2', 100, 'a'), put('1', 100, 'c')];
    settle();
    expect(asked.map(meaningOf)).toEqual(['used', 'used', 'used']);
  });

  test('if the vectors do not fit, the search uses only words, and the answer reports this', () => {
    const { put, settle, meaningOf, loads } = givenVectors({ maxBytes: 40 * 64 });
    const asked = put();
    settle();
    expect([meaningOf(asked), loads()]).toEqual(['too_large', 0]);
  });

  test('vectors of too few passages are not searched', () => {
    const { put, settle, meaningOf } = givenVectors({ without: 10 });
    const asked = put();
    settle();
    expect(meaningOf(asked)).toBe('incomplete');
  });
});
