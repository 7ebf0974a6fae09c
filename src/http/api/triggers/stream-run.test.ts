import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../../test/factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../../test/fakes/model.ts';
import { openStream, type Stream } from '../../../../test/read-stream.ts';
import { createDigest } from '../../../access/api-keys/digest.ts';
import { revokeApiKey } from '../../../features/api-keys/revoke-api-key.ts';
import { setModel } from '../../../features/models/set-model.ts';

/** One node of each role, as two programs that share nothing but the database; a model on a real port. */
let api: TestApp;
let worker: TestApp;
let model: FakeModel;
let orgId: string;
let path: string;
let key: string;
const actor = { userId: 'user_test', address: null, requestId: null };
const ENV = { PARLEY_EGRESS_ALLOW: '127.0.0.1', PARLEY_SECRET: randomBytes(48).toString('base64') };

beforeAll(async () => {
  model = await startFakeModel();
  api = await startTestApp(ENV, { role: 'api' });
  worker = await startTestApp(ENV, { role: 'worker', database: api.database });
  orgId = await givenOrganization(api.db);
  const definition = { provider: 'openai_compatible' as const, model: 'local' };
  const { agentId } = await givenAgent(api.db, orgId, { definition });
  path = `/api/triggers/${agentId}/${await givenTrigger(api.db, orgId, agentId)}`;
  key = (await api.key(orgId)).value;
  const deps = { db: api.db, egress: { check: async () => {} }, sealingKey: api.secrets.sealingKey };
  const settings = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  await setModel(deps, orgId, 'openai_compatible', settings, actor);
});
beforeEach(() => {
  steps = gates();
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
  await model?.close();
});

/** Lets the model go on piece by piece. */
function gates() {
  const open: PromiseWithResolvers<void>[] = [];
  const at = (piece: number) => (open[piece] ??= Promise.withResolvers<void>());
  return {
    next: (piece: number) => at(piece).promise,
    let: (...pieces: number[]) => pieces.forEach((n) => at(n).resolve()),
  };
}
let steps: ReturnType<typeof gates>;

const headers = { accept: 'text/event-stream' };
const start = (body: object, more: Record<string, string> = {}): Promise<Stream> =>
  openStream(api.url + path, { method: 'POST', key, body, headers: { ...headers, ...more } });
const follow = (runId: string, more: Record<string, string> = {}, as = key): Promise<Stream> =>
  openStream(`${api.url}${path}/runs/${runId}/events`, { key: as, headers: { ...headers, ...more } });
const messagesOf = async (runId: string) =>
  (await api.call('GET', `${path}/runs/${runId}?include=messages`, { key })).body.messages.filter(
    ({ role }: { role: string }) => role === 'agent',
  );

describe('the words of a turn that another process plays', () => {
  test('deltas are streamed while the turn is made, and the complete message is stored once', async () => {
    model.script({ pieces: ['It', ' ships', ' on', ' Monday.'], next: steps.next });
    const stream = await start({ message: 'When does it ship?' });
    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const { data: run } = await stream.next('run');
    expect(stream.header('location')).toBe(`${api.config.baseUrl}${path}/runs/${run.id}`);
    steps.let(0);
    expect((await stream.next('delta')).data).toEqual({ text: 'It' });
    expect(await messagesOf(run.id)).toEqual([]);
    steps.let(1);
    expect((await stream.next('delta')).data).toEqual({ text: ' ships' });
    // A message that is stored first makes the deltas before it unnecessary: they may be left out.
    steps.let(2, 3);
    const rest = await stream.rest();
    const messages = rest.filter(({ event }) => event === 'message');
    expect(messages.map(({ data }) => data.content.text)).toEqual(['It ships on Monday.']);
    expect(rest.at(-1)).toMatchObject({ event: 'run', data: { status: 'waiting_for_user' } });
    expect((await messagesOf(run.id)).map(({ id }: { id: string }) => id)).toEqual([messages[0]!.id]);
  });

  test('a late reader gets the whole text, and a reader with Last-Event-ID gets no message twice', async () => {
    model.script({ pieces: ['One', ' two', ' three.'], next: steps.next });
    const first = await start({ message: 'Count' });
    const { data: run } = await first.next('run');
    steps.let(0, 1);
    await first.next('delta');
    first.close();
    const second = await follow(run.id);
    await expect.poll(() => second.shown()).toBe('One two');
    expect(second.seen('replace')).toHaveLength(1);
    steps.let(2);
    const { id, data } = await second.next('message');
    expect([data.content.text, id]).toEqual(['One two three.', data.id]);
    second.close();
    await api.call('POST', `${path}/runs/${run.id}/cancel`, { key });
    const all = await (await follow(run.id)).rest();
    expect(all.map(({ event }) => event)).toEqual(['message', 'run']);
    const later = await (await follow(run.id, { 'last-event-id': id! })).rest();
    expect(later.map(({ event }) => event)).toEqual(['run']);
    const odd = await (await follow(run.id, { 'last-event-id': 'nonsense' })).rest();
    expect(odd.map(({ event }) => event)).toEqual(['message', 'run']);
  });

  test('deltas are streamed for every call, even if the turn ends before the stream is open', async () => {
    for (let n = 0; n < 20; n++) {
      model.script({ pieces: ['It', ' ships.'] });
      const events = await (await start({ message: `When? ${n}` })).rest();
      const before = events.slice(
        0,
        events.findIndex(({ event }) => event === 'message'),
      );
      const shown = before.reduce(
        (text, { event, data }) => (event === 'delta' ? text + data.text : event === 'replace' ? data.text : text),
        '',
      );
      expect(shown).toMatch(/^It/);
      expect(model.calls.at(-1)!.body.stream).toBe(true);
    }
  });

  test('a new message of the person removes the deltas, and one answer covers both messages', async () => {
    const conversation = { key: 'stopped' };
    model.script({ pieces: ['Monday', ' or Tuesday.'], next: steps.next }, { text: 'To both: no.' });
    const stream = await start({ message: 'First', conversation });
    const { data: run } = await stream.next('run');
    steps.let(0);
    await stream.next('delta');
    const calls = model.calls.length;
    await api.db.execute(sql`UPDATE conversation SET version = version + 1 WHERE id = ${run.conversation_id}`);
    expect((await stream.next('replace')).data).toEqual({ text: '' });
    const messages = (await stream.rest()).filter(({ event }) => event === 'message');
    expect(messages.map(({ data }) => data.content.text)).toEqual(['To both: no.']);
    expect(model.calls.length).toBe(calls + 1);
    expect(await messagesOf(run.id)).toHaveLength(1);
    steps.let(1);
  });

  test('the deltas are removed if the provider fails in the middle, and the run is tried again', async () => {
    const again = gates();
    model.script(
      { pieces: ['It', ' ships'], ending: 'cut', next: steps.next },
      { pieces: ['It ships.'], next: again.next },
    );
    const stream = await start({ message: 'When?' });
    steps.let(0);
    expect((await stream.next('delta')).data).toEqual({ text: 'It' });
    steps.let(1);
    await expect
      .poll(() => stream.seen('run').map(({ data }) => data.error?.code), { timeout: 20_000 })
      .toContain('provider_unreachable');
    again.let(0);
    const events = await stream.rest();
    expect(events.find(({ event }) => event === 'replace')!.data).toEqual({ text: '' });
    expect(events.filter(({ event }) => event === 'message').map(({ data }) => data.content.text)).toEqual([
      'It ships.',
    ]);
  });

  test('the stream ends with the run if the provider refuses', async () => {
    model.script({ status: 400, message: 'no' });
    const events = await (await start({ message: 'When?' })).rest();
    expect(events.at(-1)).toMatchObject({ event: 'run', data: { status: 'failed', reason: 'provider_refused' } });
    expect(events.map(({ event }) => event)).not.toContain('delta');
  });
});

describe('who gets a stream', () => {
  test('only callers that request a stream get a stream', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/event-stream',
      'application/json, text/event-stream;q=0.5',
      'text/event-stream;q=0',
    ]) {
      const answer = await api.call('POST', path, { key, body: { message: 'Hi' }, headers: { accept } });
      expect([answer.status, answer.body.status]).toEqual([202, 'queued']);
    }
    const dry = await api.call('POST', path, { key, body: { dry_run: true }, headers });
    expect([dry.status, dry.body.dry_run]).toEqual([200, true]);
    const wrong = await api.call('POST', path, { key, body: { nonsense: 1 }, headers });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'validation_failed']);
  });

  test('a scheduled call reports its time, and the stream ends', async () => {
    const stream = await start({ message: 'Hi', send_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await stream.rest()).map(({ event, data }) => [event, data.status])).toEqual([['run', 'scheduled']]);
  });

  test('a repeated call streams the same run again', async () => {
    model.script({ text: 'Hello.' });
    const once = { 'idempotency-key': 'once' };
    const [first, again] = [await (await start({ message: 'Hi' }, once)).rest(), await start({ message: 'Hi' }, once)];
    expect(again.header('idempotent-replayed')).toBe('true');
    const messages = (events: typeof first) => events.filter(({ event }) => event === 'message').map(({ id }) => id);
    expect(messages(await again.rest())).toEqual(messages(first));
    expect(messages(first)).toHaveLength(1);
  });

  test('another organization or another trigger gets no stream', async () => {
    const { data: run } = await (await start({ message: 'Hi' })).next('run');
    const other = await givenOrganization(api.db);
    const foreign = (await api.key(other)).value;
    expect((await follow(run.id, {}, foreign)).status).toBe(404);
    const { agentId } = await givenAgent(api.db, other);
    const theirs = `/api/triggers/${agentId}/${await givenTrigger(api.db, other, agentId)}`;
    const answer = await api.call('GET', `${theirs}/runs/${run.id}/events`, { key: foreign });
    expect([answer.status, answer.body.code]).toEqual([404, 'run_not_found']);
  });

  const revoke = (id: string) => {
    const { access } = api.app;
    const { region, baseUrl } = api.config;
    const deps = { db: api.db, access, region, baseUrl, now: Date.now, queueMail: null };
    return revokeApiKey({ ...deps, digest: createDigest(api.secrets.apiKeyPepper) }, orgId, id, actor);
  };

  test('the streams of a revoked key end', async () => {
    const { id, value } = await api.key(orgId);
    const { data: run } = await (await start({ message: 'Hi' })).next('run');
    const [mine, unaffected] = [await follow(run.id, {}, value), await follow(run.id)];
    await mine.next('run');
    await revoke(id);
    await mine.rest();
    await pause(600);
    expect(unaffected.isOpen()).toBe(true);
    unaffected.close();
  });

  test('a call that waits for its answer gets no messages when its key is revoked during the wait', async () => {
    const waits: Record<string, (value: string) => ReturnType<TestApp['call']>> = {
      accepted: (value) =>
        api.call('POST', path, { key: value, body: { message: 'Hi' }, headers: { prefer: 'wait=20' } }),
      key_revoked: (value) =>
        api.call('POST', '/api/openai/v1/chat/completions', {
          key: value,
          body: { model: path.split('/')[3], messages: [{ role: 'user', content: 'Hi' }] },
        }),
    };
    for (const [outcome, wait] of Object.entries(waits)) {
      steps = gates();
      model.script({ pieces: ['A secret', ' answer.'], next: steps.next });
      const { id, value } = await api.key(orgId);
      const asked = model.calls.length;
      const waiting = wait(value);
      await expect.poll(() => model.calls.length, { timeout: 10_000 }).toBeGreaterThan(asked);
      await revoke(id);
      steps.let(0, 1);
      const { status, body, text } = await waiting;
      expect(text).not.toContain('secret');
      expect(outcome === 'accepted' ? [status, body.messages] : [status, body.error.code]).toEqual(
        outcome === 'accepted' ? [202, undefined] : [401, 'key_revoked'],
      );
    }
  });

  test('a reader that does not read does not delay the turn', async () => {
    const words = Array.from({ length: 600 }, (_, n) => ` ${n}`.padEnd(50, '.'));
    model.script({ pieces: words, next: () => pause(2) });
    const stream = await start({ message: 'Long' });
    const { data: run } = await stream.next('run');
    stream.pause();
    await expect.poll(() => messagesOf(run.id), { timeout: 20_000 }).toHaveLength(1);
    stream.close();
  });
});
