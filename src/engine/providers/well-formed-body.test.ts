import { generateText } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import { createEgress } from '../../kernel/egress.ts';
import { embedTexts } from './embed-texts.ts';
import { languageModel } from './language-model.ts';

let fake: FakeModel;
const egress = createEgress({ allow: ['127.0.0.1'] });
beforeAll(async () => {
  fake = await startFakeModel();
});
afterAll(async () => {
  await Promise.all([fake.close(), egress.close()]);
});

const HALF = 'Grüße \u{1f600}, \\ud83d and a cut \ud83d';
const WHOLE = 'Grüße \u{1f600}, \\ud83d and a cut \ufffd';

/** The settings of a provider, and the bodies of its requests as text. */
function recorded(name: 'openai' | 'openai_compatible' | 'anthropic' | 'google') {
  const bodies: string[] = [];
  const real = egress.fetchWith({ timeoutMs: 5_000, maxBytes: 1_000_000 });
  const fetch: typeof globalThis.fetch = (url, init) => {
    if (typeof init?.body === 'string') bodies.push(init.body);
    return real(url, init);
  };
  return { bodies, settings: { name, baseUrl: fake.baseUrl(name), apiKey: FAKE_MODEL_KEY, fetch } };
}

test.each(['openai', 'openai_compatible', 'anthropic', 'google'] as const)(
  'the model of %s gets no half of a surrogate pair',
  async (name) => {
    const { bodies, settings } = recorded(name);
    const messages = [{ role: 'user' as const, content: HALF }];
    await generateText({ model: await languageModel(settings, 'm'), messages, maxRetries: 0 });
    expect(bodies).toEqual([expect.stringContaining(JSON.stringify(WHOLE).replaceAll('\ufffd', '\\ufffd'))]);
  },
);

test.each(['openai', 'openai_compatible', 'google'] as const)(
  'the embedding model of %s gets no half of a surrogate pair',
  async (name) => {
    const { bodies, settings } = recorded(name);
    await embedTexts({ settings, model: 'embed-1', texts: [HALF], dimensions: null, timeoutMs: 5_000 });
    expect(bodies).toEqual([expect.stringContaining(JSON.stringify(WHOLE).replaceAll('\ufffd', '\\ufffd'))]);
  },
);
