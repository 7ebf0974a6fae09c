import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import type { WireFormat } from '../../../test/fakes/model-wire.ts';
import { TURN_CONTEXT } from '../../../test/turn-context.ts';
import { createEgress } from '../../kernel/egress.ts';
import { NO_KNOWLEDGE, type TurnImage, type TurnMessage, type TurnRequest } from '../provider.ts';
import { createModelProvider } from './create-model-provider.ts';

let fake: FakeModel;
const egress = createEgress({ allow: ['127.0.0.1'] });
const FORMATS: WireFormat[] = ['openai_compatible', 'openai', 'anthropic', 'google'];

beforeAll(async () => {
  fake = await startFakeModel();
});
afterAll(async () => {
  await fake.close();
  await egress.close();
});
beforeEach(() => {
  fake.calls.length = 0;
});

const pngOf = (letter: string): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(letter)]);
const encoded = (letter: string): string => pngOf(letter).toString('base64');

/** Images by the ID of their message, and the IDs that were requested. */
function images(...ids: string[]) {
  const asked: string[][] = [];
  const state = { open: 0 };
  const imageOf = (id: string): TurnImage => {
    const bytes = pngOf(id);
    return { type: 'image/png', bytes, hash: createHash('sha256').update(bytes).digest('hex') };
  };
  const openImages: TurnRequest['openImages'] = async (wanted) => {
    asked.push([...wanted]);
    state.open++;
    const found = wanted.filter((id) => ids.includes(id));
    return { images: new Map(found.map((id) => [id, imageOf(id)])), close: () => void state.open-- };
  };
  return { asked, state, openImages };
}

const photo = (id: string, text = '[image]'): TurnMessage => ({ role: 'end_user', text, image: id });

const turnOf = (history: TurnMessage[], more: Partial<TurnRequest> = {}, definition = {}): TurnRequest => ({
  agent: { id: 'agent_1', name: 'Nour', definition: { model: 'some-model', ...definition } },
  locale: 'en',
  variables: {},
  end_user: { id: 'enduser_1', name: 'Asha', locale: 'en' },
  history,
  input: [history.at(-1)!.text],
  state: null,
  knowledge: NO_KNOWLEDGE,
  now: new Date('2026-11-21T10:00:00Z'),
  context: TURN_CONTEXT,
  signal: new AbortController().signal,
  ...more,
});

const providerOf = (format: WireFormat) =>
  createModelProvider({
    name: format,
    baseUrl: fake.baseUrl(format),
    apiKey: FAKE_MODEL_KEY,
    fetch: egress.fetchWith({ timeoutMs: 5_000, maxBytes: 1_000_000 }),
    callTool: () => Promise.reject(new Error('no tool expected')),
    findChangedTools: async () => new Set(),
  });

const sent = (at = 0): string => JSON.stringify(fake.calls[at]!.body);

describe.each(FORMATS)('images with %s', (format) => {
  it('the image of a person is sent with its text, and its hash is in the trace', async () => {
    const { openImages, state } = images('m1');
    fake.script({ text: 'A broken cup.' });
    const { trace, messages } = await providerOf(format).turn(turnOf([photo('m1', 'What is this?')], { openImages }));
    expect(messages[0]!.content).toEqual({ type: 'text', text: 'A broken cup.' });
    expect(sent()).toContain(encoded('m1'));
    expect(sent()).toContain('What is this?');
    expect(sent()).toContain('image/png');
    const hash = createHash('sha256').update(pngOf('m1')).digest('hex');
    expect(trace.steps).toContainEqual({ kind: 'images', detail: '1', hashes: [hash] });
    expect(sent()).not.toContain('You cannot see');
    expect(state.open).toBe(0);
  });

  it('a model that refuses images is called once more without them and with a note', async () => {
    const { openImages, state } = images('m1');
    fake.script({ status: 400, message: 'This model does not support image input.' }, { text: 'I cannot see it.' });
    const { trace, messages } = await providerOf(format).turn(turnOf([photo('m1')], { openImages }));
    expect(messages[0]!.content).toEqual({ type: 'text', text: 'I cannot see it.' });
    expect(fake.calls).toHaveLength(2);
    expect(sent(1)).not.toContain(encoded('m1'));
    expect(sent(1)).toContain('You cannot see the images');
    expect(trace.steps.map(({ kind }) => kind)).toContain('images_refused');
    expect(state.open).toBe(0);
  });
});

describe('images of a turn', () => {
  it('a server of open models that fails for an image is called once more without it', async () => {
    fake.script({ status: 500, message: 'image input is not supported' }, { text: 'I cannot see it.' });
    const { openImages } = images('m1');
    await providerOf('openai_compatible').turn(turnOf([photo('m1')], { openImages }));
    expect(fake.calls).toHaveLength(2);
  });

  it('a failed call without images is not repeated', async () => {
    fake.script({ status: 400 });
    await expect(providerOf('openai').turn(turnOf([{ role: 'end_user', text: 'Hello' }]))).rejects.toMatchObject({
      code: 'provider_refused',
    });
    expect(fake.calls).toHaveLength(1);
  });

  it('at most the four newest images of the ten newest messages are loaded', async () => {
    const old = photo('m0');
    const filler = Array.from({ length: 5 }, (_, at): TurnMessage => ({ role: 'agent', text: `Answer ${at}` }));
    const recent = ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => photo(id));
    const { asked, openImages } = images('m0', 'm2', 'm3', 'm4', 'm5');
    await providerOf('anthropic').turn(turnOf([old, ...filler, ...recent], { openImages }));
    expect(asked).toEqual([['m5', 'm4', 'm3', 'm2']]);
    for (const id of ['m2', 'm3', 'm4', 'm5']) expect(sent()).toContain(encoded(id));
    expect(sent()).toContain('You cannot see the images');
  });

  it('no image is sent if the definition forbids it, and the model is informed', async () => {
    const { asked, openImages } = images('m1');
    await providerOf('google').turn(turnOf([photo('m1')], { openImages }, { read_images: false }));
    expect(asked).toEqual([]);
    expect(sent()).toContain('You cannot see the images');
  });

  it('the tokens of an image are reserved, not the length of its encoding', async () => {
    const bytes = Buffer.alloc(900_000, 1);
    const openImages: TurnRequest['openImages'] = async () => ({
      images: new Map([['m1', { type: 'image/png', bytes, hash: 'h' }]]),
      close: () => undefined,
    });
    const begun: number[] = [];
    const calls = {
      begin: async ({ inputTokens }: { inputTokens: number }) => void begun.push(inputTokens),
      end: () => undefined,
      tool: () => undefined,
    };
    await providerOf('openai').turn(turnOf([photo('m1')], { openImages, calls }));
    expect(begun).toHaveLength(1);
    expect(begun[0]).toBeGreaterThan(50_000);
    expect(begun[0]).toBeLessThan(60_000);
  });

  it('a call that was refused because of its image costs nothing', async () => {
    fake.script({ status: 400, message: 'no images' }, { text: 'No.' });
    const { openImages } = images('m1');
    const ended: unknown[] = [];
    const calls = {
      begin: async () => undefined,
      end: (used: unknown) => void ended.push(used),
      tool: () => undefined,
    };
    await providerOf('openai').turn(turnOf([photo('m1')], { openImages, calls }));
    expect(ended[0]).toEqual({ input: 0, cached: 0, output: 0 });
    expect(ended).toHaveLength(2);
  });
});
