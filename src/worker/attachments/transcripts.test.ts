import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SetModelBody } from '../../../contract/dashboard/models.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../../../test/factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startTelegram } from '../../../test/fakes/telegram.ts';
import { setModel } from '../../features/models/set-model.ts';

/** A voice message on Telegram, for an agent that repeats what it hears. */
let parley: TestApp;
let model: FakeModel;
let provider: FakeProvider;
let orgId: string;
let channelId: string;
const actor = { userId: 'user_test', address: null, requestId: null };
const VOICE = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(3_000, 7)]);

beforeAll(async () => {
  model = await startFakeModel();
  provider = await startTelegram();
  const PARLEY_SECRET = randomBytes(48).toString('base64');
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1', PARLEY_SECRET });
});
afterAll(async () => {
  await parley?.stop();
  await provider?.stop();
  await model?.close();
});

const connect = (body: SetModelBody, name = 'openai_compatible') =>
  setModel(
    { db: parley.db, egress: { check: async () => {} }, sealingKey: parley.secrets.sealingKey },
    orgId,
    name,
    body,
    actor,
  );

beforeEach(async () => {
  orgId = await givenOrganization(parley.db);
  const definition = { provider: 'openai_compatible' as const, model: 'local' };
  const { agentId } = await givenAgent(parley.db, orgId, { definition });
  const { kind, settings, secrets } = provider;
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind,
    settings,
    secrets,
    sealingKey: parley.secrets.sealingKey,
  });
  await connect({
    base_url: model.baseUrl('openai_compatible'),
    key: FAKE_MODEL_KEY,
    transcription_model: 'whisper-1',
  });
  provider.delivered.length = 0;
  model.transcripts.calls.length = 0;
});

const hears = async (bytes = VOICE, caption?: string) => {
  const { method, headers, body } = provider.sends(bytes, caption === undefined ? {} : { caption });
  const answer = await fetch(`${parley.url}/inbound/telegram/${channelId}`, { method, headers, body });
  expect(answer.status).toBe(200);
};
const rows = async (query: ReturnType<typeof sql>) => (await parley.db.execute(query)).rows;
const receivedContents = async () =>
  (await rows(sql`SELECT content FROM message WHERE org_id = ${orgId} AND role = 'end_user' ORDER BY id`)).map(
    ({ content }) => content as Record<string, string>,
  );
const answers = () => provider.delivered.map(({ text }) => text);

test("audio is transcribed, and the agent's turn waits for the transcript and answers it", async () => {
  const gate = Promise.withResolvers<void>();
  model.transcripts.script({ text: ' When do you open on Friday? ', after: gate.promise });
  await hears();
  await expect.poll(() => model.transcripts.calls.length).toBe(1);
  expect(model.transcripts.calls[0]).toMatchObject({ model: 'whisper-1', name: 'audio.ogg', bytes: VOICE });
  expect((await receivedContents())[0]).toEqual({ type: 'audio', url: expect.any(String) });
  const [run] = await rows(sql`SELECT status, turns, due_at > now() + interval '10 seconds' AS waits FROM run
    WHERE org_id = ${orgId}`);
  expect(run).toEqual({ status: 'queued', turns: 0, waits: true });
  gate.resolve();
  await expect.poll(answers).toEqual(['You said: When do you open on Friday?']);
  expect((await receivedContents())[0]).toMatchObject({ type: 'audio', text: 'When do you open on Friday?' });
  expect(await rows(sql`SELECT due_at, lease FROM attachment WHERE org_id = ${orgId}`)).toEqual([
    { due_at: null, lease: null },
  ]);
});

test('a spoken stop word opts the person out while the team answers', async () => {
  const gate = Promise.withResolvers<void>();
  model.transcripts.script({ text: ' Stop. ', after: gate.promise });
  await hears();
  await expect.poll(() => model.transcripts.calls.length).toBe(1);
  await rows(sql`UPDATE conversation SET status = 'handed_off', unanswered = '{}' WHERE org_id = ${orgId}`);
  await rows(sql`UPDATE run SET status = 'handed_off', due_at = NULL WHERE org_id = ${orgId}`);
  gate.resolve();
  await expect
    .poll(async () => (await rows(sql`SELECT consent FROM end_user WHERE org_id = ${orgId}`))[0]?.['consent'])
    .toEqual({ telegram: { status: 'opted_out', source: 'stop_word', at: expect.any(String) } });
  expect((await receivedContents())[0]).toMatchObject({ text: 'Stop.' });
});

test('audio of a web chat visitor is also transcribed', async () => {
  const definition = { provider: 'openai_compatible' as const, model: 'local' };
  const { agentId } = await givenAgent(parley.db, orgId, { definition });
  const chat = await givenChannel(parley.db, orgId, agentId, {
    kind: 'web_chat',
    settings: { allowed_origins: ['https://shop.example'] },
    secrets: { secret: 's' },
    sealingKey: parley.secrets.sealingKey,
  });
  const origin = { origin: 'https://shop.example' };
  const opened = await parley.call('POST', `/chat/${chat}/sessions`, { body: {}, headers: origin });
  model.transcripts.script({ text: 'Is my order on its way?' });
  const sent = await fetch(`${parley.url}/chat/${chat}/files?client_id=${randomUUID()}&name=voice.ogg`, {
    method: 'POST',
    headers: {
      ...origin,
      authorization: `Bearer ${opened.body.token as string}`,
      'content-type': 'application/octet-stream',
    },
    body: VOICE,
  });
  expect(sent.status).toBe(201);
  await expect
    .poll(() => rows(sql`SELECT content ->> 'text' AS text FROM message WHERE org_id = ${orgId} ORDER BY id`))
    .toEqual([{ text: 'Is my order on its way?' }, { text: 'You said: Is my order on its way?' }]);
});

test('if the provider refuses a transcription, the agent still answers', async () => {
  model.transcripts.script({ status: 400 });
  await hears();
  await expect.poll(answers).toEqual(['You said: [audio]']);
  expect(await receivedContents()).toEqual([{ type: 'audio', url: expect.any(String) }]);
});

test('a model that does not answer delays only the files of its own organization', async () => {
  const gate = Promise.withResolvers<void>();
  model.transcripts.script(...Array.from({ length: 6 }, () => ({ text: 'Late.', after: gate.promise })));
  for (let n = 0; n < 6; n++) await hears();
  await expect.poll(() => model.transcripts.calls.length).toBe(2);
  const other = await givenOrganization(parley.db, { notInLaneOf: orgId });
  const { agentId } = await givenAgent(parley.db, other);
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  const id = await givenChannel(parley.db, other, agentId, { kind, settings, secrets, sealingKey });
  const { method, headers, body } = provider.sends(VOICE);
  await fetch(`${parley.url}/inbound/telegram/${id}`, { method, headers, body });
  const files = () => rows(sql`SELECT type FROM attachment WHERE org_id = ${other}`);
  await expect.poll(files).toEqual([{ type: 'audio/ogg' }]);
  expect(model.transcripts.calls.length).toBe(2);
  gate.resolve();
  // Waits for the answer too: it would arrive among those of the next test.
  await expect
    .poll(
      () =>
        answers()
          .join(' ')
          .match(/Late\./g)?.length,
    )
    .toBe(6);
  expect(model.transcripts.calls.length).toBe(6);
});

test('a temporary failure is tried again, and the turn waits half a minute at most', async () => {
  model.transcripts.script({ status: 503 }, { text: 'Second time.' });
  await hears();
  await expect
    .poll(() => rows(sql`SELECT attempts FROM attachment WHERE org_id = ${orgId} AND due_at > now() AND lease IS NULL`))
    .toEqual([{ attempts: 1 }]);
  const [run] = await rows(
    sql`SELECT extract(epoch FROM due_at - now()) < 30 AS soon FROM run WHERE org_id = ${orgId}`,
  );
  expect(run).toEqual({ soon: true });
  await rows(sql`UPDATE attachment SET due_at = now() WHERE org_id = ${orgId}`);
  await expect.poll(answers).toEqual(['You said: Second time.']);
});

test('only audio without text is sent to the provider, and only if a model is chosen', async () => {
  await hears(Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.alloc(100, 5)]));
  await expect.poll(async () => (await receivedContents()).map(({ type }) => type)).toEqual(['image']);
  await hears(VOICE, 'My complaint');
  await expect.poll(async () => (await receivedContents()).map(({ type }) => type)).toEqual(['image', 'audio']);
  await connect({ transcription_model: null });
  await hears();
  await expect
    .poll(async () => (await receivedContents()).map(({ type }) => type))
    .toEqual(['image', 'audio', 'audio']);
  await expect
    .poll(() => rows(sql`SELECT 1 FROM attachment WHERE org_id = ${orgId} AND due_at IS NOT NULL`))
    .toEqual([]);
  expect(model.transcripts.calls).toEqual([]);
  expect((await receivedContents())[1]).toMatchObject({ text: 'My complaint' });
});

test('one provider of an organization makes transcripts, and Anthropic makes none', async () => {
  await connect({ key: 'sk-other', transcription_model: 'gpt-4o-transcribe' }, 'openai');
  const chosen =
    await rows(sql`SELECT provider, transcription_model AS model FROM model_provider WHERE org_id = ${orgId}
    ORDER BY provider`);
  expect(chosen).toEqual([
    { provider: 'openai', model: 'gpt-4o-transcribe' },
    { provider: 'openai_compatible', model: null },
  ]);
  const refused = connect({ key: 'sk-ant', transcription_model: 'x' }, 'anthropic');
  await expect(refused).rejects.toMatchObject({
    code: 'validation_failed',
    extras: { errors: [{ pointer: '/transcription_model' }] },
  });
});
