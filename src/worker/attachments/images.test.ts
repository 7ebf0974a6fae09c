import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../../../test/factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import type { FakeProvider } from '../../../test/fakes/provider.ts';
import { startTelegram } from '../../../test/fakes/telegram.ts';
import { openAnswering } from '../../answering/open-answering.ts';
import { createImages } from '../../answering/open-images.ts';
import { replayConversation } from '../../features/agents/replay-conversation.ts';
import { setModel } from '../../features/models/set-model.ts';
import { createEgress } from '../../kernel/egress.ts';
import { createLogger } from '../../kernel/log.ts';

/** A photo on Telegram, for an agent on a model. */
let parley: TestApp;
let model: FakeModel;
let provider: FakeProvider;
let orgId: string;
let agentId: string;
let channelId: string;
const PHOTO = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(3_000)]);

beforeAll(async () => {
  model = await startFakeModel();
  provider = await startTelegram();
  parley = await startTestApp({
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    PARLEY_SECRET: randomBytes(48).toString('base64'),
  });
});
afterAll(async () => {
  await parley?.stop();
  await provider?.stop();
  await model?.close();
});

const givenModelAgent = async (definition: object = {}) => {
  orgId = await givenOrganization(parley.db);
  const whole = { provider: 'openai_compatible' as const, model: 'local', ...definition };
  ({ agentId } = await givenAgent(parley.db, orgId, { definition: whole }));
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
  const account = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  await setModel(
    { db: parley.db, egress: { check: async () => {} }, sealingKey },
    orgId,
    'openai_compatible',
    account,
    {
      userId: 'user_test',
      address: null,
      requestId: null,
    },
  );
};

beforeEach(() => {
  provider.delivered.length = 0;
  model.calls.length = 0;
});

const shows = async (bytes: Buffer, options: Parameters<FakeProvider['sends']>[1] = {}) => {
  const { method, headers, body } = provider.sends(bytes, options);
  const answer = await fetch(`${parley.url}/inbound/telegram/${channelId}`, { method, headers, body });
  expect(answer.status).toBe(200);
};
const sent = (at = 0): string => JSON.stringify(model.calls[at]?.body);
const answers = () => provider.delivered.map(({ text }) => text);
const conversationId = async () => {
  const { rows } = await parley.db.execute<{ id: string }>(sql`SELECT id FROM conversation WHERE org_id = ${orgId}`);
  return rows[0]!.id;
};

test('the turn waits for a photo, the model receives it, and a replay sends it again', async () => {
  await givenModelAgent();
  model.script({ text: 'It is a cup.' }, { text: 'It is a cup.' });
  await shows(PHOTO, { caption: 'What is this?' });
  await expect.poll(answers).toEqual(['It is a cup.']);
  expect(model.calls).toHaveLength(1);
  expect(sent()).toContain(PHOTO.toString('base64'));
  expect(sent()).toContain('What is this?');

  const egress = createEgress({ allow: ['127.0.0.1'] });
  const { db, secrets } = parley;
  const { sealingKey, turnKey } = secrets;
  const log = createLogger({ level: 'silent', pretty: false });
  const answering = openAnswering({
    db,
    egress,
    sealingKey,
    turnKey,
    baseUrl: parley.url,
    log,
    onUse: () => {},
    blobs: null,
  });
  const replayed = await replayConversation({ db, answering }, orgId, agentId, {
    conversation_id: await conversationId(),
  });
  await answering.stop();
  await egress.close();
  expect(replayed.turns).toMatchObject([{ input: ['What is this?'], changed: [] }]);
  expect(sent(1)).toContain(PHOTO.toString('base64'));
});

test('a photo that is too large for a model is not sent, and the model is told', async () => {
  await givenModelAgent();
  const large = Buffer.concat([PHOTO, Buffer.alloc(4_000_000, 3)]);
  await shows(large);
  await expect.poll(answers).toHaveLength(1);
  expect(sent()).toContain('[image]');
  expect(sent()).toContain('You cannot see the images');
  expect(sent().length).toBeLessThan(20_000);
});

test('an agent that does not read images answers without waiting for the file', async () => {
  await givenModelAgent({ read_images: false });
  await shows(PHOTO);
  await expect.poll(answers).toHaveLength(1);
  expect(sent()).not.toContain(PHOTO.toString('base64'));
});

test('an address of another file in the content of a message shows no image to the model', async () => {
  await givenModelAgent();
  await shows(PHOTO);
  await expect.poll(answers).toHaveLength(1);
  const id = await conversationId();
  // The first message shows an image; the second message names its address.
  await parley.db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, status)
    SELECT org_id, ${`msg_${'z'.repeat(26)}`}, conversation_id, role, content, status FROM message
    WHERE org_id = ${orgId} AND conversation_id = ${id} AND role = 'end_user'`);
  const { rows } = await parley.db.execute<{ id: string }>(
    sql`SELECT id FROM message WHERE org_id = ${orgId} AND conversation_id = ${id} AND role = 'end_user' ORDER BY id`,
  );
  expect(rows).toHaveLength(2);
  const openImages = createImages({ pool: parley.db.$client, blobs: null });
  const ids = rows.map((row) => row.id);
  const found = await openImages(orgId)(ids);
  expect([...found.images.keys()]).toEqual([ids[0]]);
  const others = await openImages(await givenOrganization(parley.db))(ids);
  expect(others.images.size).toBe(0);
});

test('turns with many images wait for each other, and not for those of another organization', async () => {
  const images = createImages({ pool: parley.db.$client, blobs: null });
  const givenPhoto = async () => {
    provider.delivered.length = 0;
    await givenModelAgent();
    await shows(Buffer.concat([PHOTO, Buffer.alloc(3_500_000, 3)]));
    await expect.poll(answers).toHaveLength(1);
    const { rows } = await parley.db.execute<{ id: string }>(
      sql`SELECT id FROM message WHERE org_id = ${orgId} AND role = 'end_user'`,
    );
    const open = images(orgId);
    return () => open([rows[0]!.id]);
  };
  const [open, openOther] = [await givenPhoto(), await givenPhoto()];
  const opened = await Promise.all(Array.from({ length: 9 }, open));
  await expect(open()).rejects.toMatchObject({ waits: true });
  expect((await openOther()).images.size).toBe(1);
  opened[0]!.close();
  opened[0]!.close();
  expect((await open()).images.size).toBe(1);
  await expect(open()).rejects.toMatchObject({ waits: true });
});
