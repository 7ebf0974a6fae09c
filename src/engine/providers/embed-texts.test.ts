import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { longestStretchMs } from '../../../test/cpu-time.ts';
import { embed } from '../../../test/fakes/embeddings.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import { type FakeOllama, startFakeOllama } from '../../../test/fakes/ollama.ts';
import { createEgress } from '../../kernel/egress.ts';
import { batchOf } from '../knowledge/embedding-batch.ts';
import { quantize } from '../knowledge/vector-table.ts';
import { EMBEDDING_MAX_BYTES, embedTexts } from './embed-texts.ts';
import type { ModelProviderName } from './language-model.ts';

let fake: FakeModel;
let ollama: FakeOllama;
const egress = createEgress({ allow: ['127.0.0.1'] });
beforeAll(async () => {
  fake = await startFakeModel();
  ollama = await startFakeOllama();
});
beforeEach(() => {
  fake.embeddings.calls.length = 0;
});
afterAll(async () => {
  await Promise.all([fake.close(), ollama.close(), egress.close()]);
});

const TEXTS = ['Opening hours\nFriday: closed', 'Dogs are welcome.'];
const WIRES = ['openai', 'openai_compatible', 'google'] as const;
const ask = (name: ModelProviderName, more: Partial<Parameters<typeof embedTexts>[0]> = {}) =>
  embedTexts({
    settings: {
      name,
      baseUrl: name === 'anthropic' ? fake.url : fake.baseUrl(name),
      apiKey: FAKE_MODEL_KEY,
      fetch: egress.fetchWith({ timeoutMs: 5_000, maxBytes: EMBEDDING_MAX_BYTES }),
    },
    model: 'embed-1',
    texts: TEXTS,
    dimensions: null,
    timeoutMs: 5_000,
    ...more,
  });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { code?: string }) => error.code,
  );

describe.each(WIRES)('%s', (name) => {
  test('an embedding call returns a vector for each text, in the order of the texts', async () => {
    const { vectors, tokens } = await ask(name);
    expect(vectors).toEqual(TEXTS.map((text) => quantize(embed(text, 64))));
    // Google does not say.
    expect(tokens).toBe(name === 'google' ? null : 12);
    expect(fake.embeddings.calls).toMatchObject([{ model: 'embed-1', texts: TEXTS }]);
    expect((await ask(name, { texts: ['One text.'] })).vectors).toHaveLength(1);
  });

  test('an embedding call waits as long as Retry-After says', async () => {
    fake.embeddings.script({ status: 429, headers: { 'retry-after': '7' } });
    await expect(ask(name)).rejects.toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 7_000 });
  });

  test.each([
    [{ garbage: 'not_json' }],
    [{ garbage: 'wrong_shape' }],
    [{ garbage: 'truncated' }],
    [{ garbage: 'infinite' }],
    [{ garbage: 'zero' }],
    [{ extra: 1 }],
    [{ extra: -1 }],
    [{ dimensions: 4_097 }],
    [{ dimensions: 0 }],
  ] as const)('the response %j is refused', async (reply) => {
    fake.embeddings.script(reply);
    expect(await codeOf(ask(name))).toBe('provider_garbled');
  });

  test('vectors with another number of dimensions than before are refused, with this number', async () => {
    fake.embeddings.script({ dimensions: 32 });
    await expect(ask(name, { dimensions: 64 })).rejects.toMatchObject({
      code: 'provider_garbled',
      message: expect.stringContaining('32 dimensions instead of 64'),
    });
  });

  test('a slow response, and a response that is too large, are failures', async () => {
    fake.embeddings.script({ after: new Promise(() => {}) });
    expect(await codeOf(ask(name, { timeoutMs: 50 }))).toBe('provider_timeout');
    const texts = Array.from({ length: 64 }, (_, at) => `Text ${at}.`);
    fake.embeddings.script({ dimensions: 6_000 });
    expect(await codeOf(ask(name, { texts }))).toBe('provider_garbled');
  });

  test('a wrong key is a permanent failure', async () => {
    const settings = { name, baseUrl: fake.baseUrl(name), apiKey: 'wrong', fetch: egress.fetch };
    await expect(ask(name, { settings })).rejects.toMatchObject({ code: 'provider_refused', retryable: false });
  });
});

test('Ollama needs no key, and an unknown model is named in the error', async () => {
  const settings = { name: 'openai_compatible' as const, baseUrl: ollama.baseUrl, fetch: egress.fetch };
  const { vectors } = await ask('openai_compatible', { settings, model: 'nomic-embed-text' });
  expect(vectors[0]).toHaveLength(768);
  await expect(ask('openai_compatible', { settings, model: 'mxbai' })).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringContaining('model "mxbai" not found'),
  });
});

test('Anthropic has no embeddings, and the error names providers that do', async () => {
  await expect(ask('anthropic')).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringContaining('Anthropic has no embedding models'),
  });
});

test('parsing the largest batch takes little processor time', async () => {
  const texts = Array.from({ length: batchOf(4_096) }, (_, at) => `Text ${at}.`);
  fake.embeddings.dimensions = 4_096;
  try {
    await ask('openai', { texts });
    const used = await longestStretchMs(() => ask('openai', { texts }));
    // The fake of this process writes its answer in one stretch, too.
    expect(used).toBeLessThan(250);
  } finally {
    fake.embeddings.dimensions = 64;
  }
});
