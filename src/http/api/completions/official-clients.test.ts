import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../../test/factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../../test/fakes/model.ts';
import { setModel } from '../../../features/models/set-model.ts';

/** The clients that the page docs/openai.md names, against an agent whose model is a server on a real port. */
let parley: TestApp;
let model: FakeModel;
let agentId: string;
let key: string;
let openai: OpenAI;
let sdk: ReturnType<typeof createOpenAICompatible>;

beforeAll(async () => {
  model = await startFakeModel();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const orgId = await givenOrganization(parley.db);
  const definition = { instructions: 'Be brief.', provider: 'openai_compatible' as const, model: 'local' };
  ({ agentId } = await givenAgent(parley.db, orgId, { definition }));
  await givenTrigger(parley.db, orgId, agentId);
  key = (await parley.key(orgId)).value;
  const deps = { db: parley.db, egress: { check: async () => {} }, sealingKey: parley.secrets.sealingKey };
  const settings = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  await setModel(deps, orgId, 'openai_compatible', settings, { userId: 'u', address: null, requestId: null });
  openai = new OpenAI({ baseURL: `${parley.url}/api/openai/v1`, apiKey: key });
  sdk = createOpenAICompatible({
    name: 'parley',
    baseURL: `${parley.url}/api/openai/v1`,
    apiKey: key,
    includeUsage: true,
  });
});
beforeEach(() => {
  model.calls.length = 0;
});
afterAll(async () => {
  await parley?.stop();
  await model?.close();
});

const ask = (content: string) => [{ role: 'user' as const, content }];

describe('the client of OpenAI', () => {
  test('the client lists the agent as a model', async () => {
    const models = await openai.models.list();
    expect(models.data).toMatchObject([{ id: agentId, object: 'model', name: 'Concierge' }]);
  });

  test('the client gets the answer, with the tokens that the model used', async () => {
    model.script({ text: 'It ships on Monday.', used: { input: 40, cached: 0, output: 7 } });
    const made = await openai.chat.completions.create({ model: agentId, messages: ask('When?') });
    expect(made.choices).toMatchObject([
      { message: { role: 'assistant', content: 'It ships on Monday.' }, finish_reason: 'stop' },
    ]);
    expect(made.usage).toEqual({ prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 });
    expect([made.object, made.model]).toEqual(['chat.completion', agentId]);
  });

  test('the client streams the answer while the model writes it', async () => {
    const wait = Promise.withResolvers<void>();
    model.script({
      pieces: ['It ships', ' on Monday.'],
      next: (piece) => (piece === 0 ? Promise.resolve() : wait.promise),
    });
    const stream = await openai.chat.completions.create({
      model: agentId,
      messages: ask('When?'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const ends: unknown[] = [];
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      if (text === 'It ships') wait.resolve();
      if (choices[0]?.finish_reason) ends.push(choices[0].finish_reason);
      if (usage) ends.push(usage.total_tokens);
    }
    expect([text, ends]).toEqual(['It ships on Monday.', ['stop', 17]]);
  });

  test('the client throws its exception for each error, with the code of Parley', async () => {
    const call = (more: object, client = openai) =>
      client.chat.completions.create({ model: agentId, messages: ask('Hi'), ...more }).catch((error: unknown) => error);
    const stranger = new OpenAI({ baseURL: openai.baseURL, apiKey: 'nonsense', maxRetries: 0 });
    expect(await call({}, stranger)).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(await call({}, stranger)).toMatchObject({ status: 401, code: 'key_invalid', type: 'authentication_error' });
    const missing = await call({ model: 'gpt-4o' });
    expect(missing).toBeInstanceOf(OpenAI.NotFoundError);
    expect(missing).toMatchObject({ code: 'agent_not_found', param: 'model' });
    const wrong = await call({ n: 2 });
    expect(wrong).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect(wrong).toMatchObject({ code: 'validation_failed', param: 'n' });
    const streamed = await call({ model: 'gpt-4o', stream: true });
    expect(streamed).toMatchObject({ status: 404, code: 'agent_not_found' });
  });

  test('a failed run is an error, also in a stream, and the client does not call again', async () => {
    const refused = { status: 400, message: 'No.' };
    model.script(refused);
    const call = { model: agentId, messages: ask('Hi') };
    await expect(openai.chat.completions.create(call)).rejects.toMatchObject({ status: 502, code: 'run_failed' });
    model.script(refused);
    const stream = await openai.chat.completions.create({ ...call, stream: true });
    const read = async () => {
      for await (const chunk of stream) expect(chunk.choices[0]?.finish_reason).toBeNull();
    };
    await expect(read()).rejects.toMatchObject({ code: 'run_failed' });
    expect(model.calls).toHaveLength(2);
  });
});

describe('the compatible provider of the AI SDK', () => {
  test('the AI SDK generates a text', async () => {
    model.script({ text: 'It ships on Monday.', used: { input: 40, cached: 0, output: 7 } });
    const { text, usage } = await generateText({ model: sdk(agentId), prompt: 'When?', temperature: 0.2 });
    expect([text, usage.inputTokens, usage.outputTokens]).toEqual(['It ships on Monday.', 40, 7]);
  });

  test('the AI SDK streams a text, and earlier messages reach the model', async () => {
    model.script({ pieces: ['It ships', ' on Monday.'] });
    const { textStream, finishReason, usage } = streamText({
      model: sdk(agentId),
      messages: [
        { role: 'user', content: 'My order is A-1043.' },
        { role: 'assistant', content: 'Thank you.' },
        { role: 'user', content: 'When does it ship?' },
      ],
    });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect([text, await finishReason, (await usage).totalTokens]).toEqual(['It ships on Monday.', 'stop', 17]);
    expect(model.calls[0]!.body.messages.filter(({ role }: { role: string }) => role !== 'system')).toMatchObject([
      { role: 'user', content: 'My order is A-1043.' },
      { role: 'assistant', content: 'Thank you.' },
      { role: 'user', content: 'When does it ship?' },
    ]);
  });

  test('the client reports the message of an error', async () => {
    const failed = await generateText({ model: sdk('gpt-4o'), prompt: 'Hi', maxRetries: 0 }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(APICallError);
    expect(failed).toMatchObject({
      statusCode: 404,
      message: 'No agent of this organization has the ID in `model`.',
    });
  });
});
