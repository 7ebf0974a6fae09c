import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { countLockWaits } from '../../../test/lock-waits.ts';
import type { Db } from '../db.ts';
import { eraseEndUser } from '../end-users/erase.ts';
import { createSuppression } from '../end-users/suppression.ts';
import { type AcceptQueue, createAcceptQueue } from './accept.ts';
import type { AcceptCall, AcceptOutcome } from './accept-call.ts';
import { replaceStoredAnswer } from '../idempotency/stored-answer.ts';

let db: Db;
let queue: AcceptQueue;
let base: AcceptCall;

useDatabase((made) => (db = made));
beforeAll(async () => {
  queue = createAcceptQueue(db);
  const orgId = await givenOrganization(db);
  const { agentId, channelId } = await givenAgent(db, orgId);
  base = {
    orgId,
    keyId: await givenKey(db, orgId),
    from: '203.0.113.7',
    agentId,
    triggerId: await givenTrigger(db, orgId, agentId),
    channelId,
    channelKind: 'sandbox',
    address: null,
    addressFrom: null,
    endUser: null,
    fillsOnly: false,
    conversation: null,
    message: null,
    optsOutOf: null,
    input: {},
    sendAt: null,
    requestId: 'req_test',
    idempotency: null,
    answer: (run) => ({
      status: 202,
      location: `/runs/${run.id}`,
      body: JSON.stringify({ id: run.id, end_user_id: run.endUserId }),
    }),
  };
});

afterAll(async () => {
  await queue.drain();
});

const call = (more: Partial<AcceptCall> = {}): AcceptCall => ({ ...base, ...more });
const sha = (text: string) => createHash('sha256').update(text).digest();
const idempotent = (key: string, body = '{}') => ({ scope: sha(key), request: sha(body) });

function accepted(outcome: AcceptOutcome) {
  if (outcome.kind !== 'accepted') throw new Error(`expected accepted, got ${JSON.stringify(outcome)}`);
  return outcome.run;
}

async function count(table: string): Promise<number> {
  const found = await db.execute<{ n: string }>(sql.raw(`SELECT count(*) AS n FROM ${table}`));
  return Number(found.rows[0]!.n);
}

describe('a batch', () => {
  const names = ['people', 'keyed', 'repeatable', 'messages'] as const;
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, at) => (bits & (1 << at)) > 0),
  );

  test.each(sets.map((chosen) => [chosen]))(
    'a batch accepts every combination of data in its calls: %s',
    async (chosen) => {
      const name = `set-${chosen.join('-')}`;
      const more: Partial<AcceptCall> = {
        ...(chosen.includes('people') && { endUser: { external_id: name, name: 'Layla' } }),
        ...(chosen.includes('keyed') && { conversation: { key: name, onExisting: 'continue' } }),
        ...(chosen.includes('repeatable') && { idempotency: idempotent(name) }),
        ...(chosen.includes('messages') && { message: 'Hello' }),
      };
      // Together with a call that needs nothing.
      const [run] = (await Promise.all([queue.accept(call(more)), queue.accept(call())])).map(accepted);
      const { rows } = await db.execute(sql`SELECT e.external_id, c.key, cardinality(c.unanswered) AS unanswered,
        array(SELECT content ->> 'text' FROM message m WHERE m.org_id = r.org_id AND m.run_id = r.id) AS messages,
        (SELECT count(*)::int FROM idempotency i WHERE i.org_id = r.org_id AND i.location = ${`/runs/${run!.id}`}) AS repeatable
      FROM run r JOIN conversation c ON c.org_id = r.org_id AND c.id = r.conversation_id
      JOIN end_user e ON e.org_id = c.org_id AND e.id = c.end_user_id
      WHERE r.org_id = ${base.orgId} AND r.id = ${run!.id}`);
      expect(rows).toMatchObject([
        {
          external_id: chosen.includes('people') ? name : null,
          key: chosen.includes('keyed') ? name : null,
          unanswered: chosen.includes('messages') ? 1 : 0,
          messages: chosen.includes('messages') ? ['Hello'] : [],
          repeatable: chosen.includes('repeatable') ? 1 : 0,
        },
      ]);
    },
  );
});

describe('accepts many calls at once', () => {
  test('each anonymous call creates one run, conversation and end user', async () => {
    const before = [await count('run'), await count('conversation'), await count('end_user')];
    const runs = (await Promise.all(Array.from({ length: 300 }, () => queue.accept(call())))).map(accepted);
    expect(new Set(runs.map((run) => run.id)).size).toBe(300);
    const after = [await count('run'), await count('conversation'), await count('end_user')];
    expect(after.map((n, index) => n - before[index]!)).toEqual([300, 300, 300]);
  });

  test('many calls that name the same person create one end user', async () => {
    const calls = Array.from({ length: 100 }, () =>
      queue.accept(call({ endUser: { external_id: 'crm-1', name: 'Asha' } })),
    );
    const runs = (await Promise.all(calls)).map(accepted);
    expect(new Set(runs.map((run) => run.endUserId)).size).toBe(1);
  });

  test('data from a refused call of the batch does not change a new person', async () => {
    const endUser = { external_id: 'crm-neighbour' };
    const refused = queue.accept(
      call({ keyId: 'key_gone', endUser: { ...endUser, name: 'Refused' }, fillsOnly: true }),
    );
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => queue.accept(call({ endUser: { ...endUser, name }, fillsOnly: true }))),
    );
    expect((await refused).kind).toBe('refused');
    expect(accepted(first!).unchanged).toEqual([]);
    expect(accepted(second!).unchanged).toEqual(['name']);
    const found = await db.execute<{ name: string }>(
      sql`SELECT name FROM end_user WHERE external_id = 'crm-neighbour'`,
    );
    expect(found.rows).toEqual([{ name: 'First' }]);
  });

  test('updates of one person keep their order', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
    await Promise.all(names.map((name) => queue.accept(call({ endUser: { external_id: 'crm-2', name } }))));
    const found = await db.execute<{ name: string }>(sql`SELECT name FROM end_user WHERE external_id = 'crm-2'`);
    expect(found.rows).toHaveLength(1);
    expect(names).toContain(found.rows[0]!.name);
  });

  test('attributes are merged: null removes one, and the rest stays', async () => {
    await queue.accept(call({ endUser: { external_id: 'crm-3', attributes: { a: 1, b: 2 } } }));
    await queue.accept(call({ endUser: { external_id: 'crm-3', attributes: { b: null, c: [3] } } }));
    const found = await db.execute(sql`SELECT attributes FROM end_user WHERE external_id = 'crm-3'`);
    expect(found.rows[0]!.attributes).toEqual({ a: 1, c: [3] });
  });

  test('the e-mail address of another person is refused with the ID of that person, and other calls continue', async () => {
    const holder = accepted(await queue.accept(call({ endUser: { external_id: 'crm-4', email: 'a@example.com' } })));
    const [clash, neighbour] = await Promise.all([
      queue.accept(call({ endUser: { external_id: 'crm-5', email: 'a@example.com' } })),
      queue.accept(call()),
    ]);
    expect(clash.kind === 'refused' && clash.refusal.code).toBe('already_exists');
    expect(clash.kind === 'refused' && clash.refusal.extras.members).toEqual({ existing_id: holder.endUserId });
    expect(neighbour.kind).toBe('accepted');
  });

  test('a call with an external ID uses a record that has only the e-mail address', async () => {
    const first = accepted(await queue.accept(call({ endUser: { email: 'b@example.com' } })));
    const second = accepted(await queue.accept(call({ endUser: { external_id: 'crm-6', email: 'b@example.com' } })));
    expect(second.endUserId).toBe(first.endUserId);
  });

  test('the ID of an end user of another organization is refused', async () => {
    const other = await givenOrganization(db);
    await db.execute(sql`INSERT INTO end_user (org_id, id) VALUES (${other}, 'enduser_foreign')`);
    const outcome = await queue.accept(call({ endUser: { id: 'enduser_foreign' } }));
    expect(outcome.kind === 'refused' && outcome.refusal.extras.errors?.[0]?.pointer).toBe('/end_user/id');
  });
});

describe('conversation keys', () => {
  test('a conversation key continues the same conversation, even if the calls arrive together', async () => {
    const conversation = { key: 'order-1', onExisting: 'continue' as const };
    const runs = await Promise.all([1, 2, 3].map(() => queue.accept(call({ conversation, message: 'hi' }))));
    expect(new Set(runs.map((run) => accepted(run).conversationId)).size).toBe(1);
    const found = await db.execute(
      sql`SELECT cardinality(unanswered) AS n, version FROM conversation WHERE key = 'order-1'`,
    );
    expect(found.rows[0]).toEqual({ n: 3, version: 2 });
  });

  test('calls that arrive together lock their conversations in the order of the IDs', async () => {
    const message = (key: string) => queue.accept(call({ conversation: { key, onExisting: 'continue' } }));
    const keys = ['order-of-locks-1', 'order-of-locks-2'];
    const ids = (await Promise.all(keys.map(message))).map((run) => accepted(run).conversationId);
    const [low, high] = ids.toSorted();
    const lock = await db.$client.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM conversation WHERE id = $1 FOR UPDATE', [low]);
    const both = Promise.all((ids[0] === low ? keys.toReversed() : keys).map(message));
    await expect.poll(() => countLockWaits(db.$client)).toBe(1);
    const free = await lock.query('SELECT id FROM conversation WHERE id = $1 FOR UPDATE SKIP LOCKED', [high]);
    await lock.query('COMMIT');
    lock.release();
    expect(free.rows).toEqual([{ id: high }]);
    for (const run of await both) accepted(run);
  });

  test('a new conversation takes over the conversation key', async () => {
    const first = accepted(await queue.accept(call({ conversation: { key: 'order-2', onExisting: 'continue' } })));
    const second = accepted(await queue.accept(call({ conversation: { key: 'order-2', onExisting: 'new' } })));
    const third = accepted(await queue.accept(call({ conversation: { key: 'order-2', onExisting: 'continue' } })));
    expect(second.conversationId).not.toBe(first.conversationId);
    expect(third.conversationId).toBe(second.conversationId);
  });

  test('a call with the mode reject gets the ID of the existing conversation', async () => {
    const first = accepted(await queue.accept(call({ conversation: { key: 'order-3', onExisting: 'reject' } })));
    const second = await queue.accept(call({ conversation: { key: 'order-3', onExisting: 'reject' } }));
    expect(second.kind === 'refused' && second.refusal.extras.members).toEqual({ existing_id: first.conversationId });
  });

  test('a conversation key does not find the conversation of another person', async () => {
    const conversation = { key: 'order-4', onExisting: 'continue' as const };
    await queue.accept(call({ conversation, endUser: { external_id: 'crm-7' } }));
    const outcome = await queue.accept(call({ conversation, endUser: { external_id: 'crm-8' } }));
    expect(outcome.kind === 'refused' && outcome.refusal.code).toBe('already_exists');
    const made = await db.execute(sql`SELECT 1 FROM end_user WHERE external_id = 'crm-8'`);
    expect(made.rows).toHaveLength(0);
  });
});

describe('an address without an end user', () => {
  const suppression = createSuppression(Buffer.alloc(32, 1));
  const at = (address: string, more: Partial<AcceptCall> = {}) => call({ channelKind: 'sms', address, ...more });
  const consentOf = async (id: string) =>
    (
      await db.execute<{ consent: Record<string, { status: string }> }>(
        sql`SELECT consent FROM end_user WHERE id = ${id}`,
      )
    ).rows[0]!.consent;
  const optOut = (id: string) =>
    db.execute(sql`UPDATE end_user SET consent = '{"sms": {"status": "opted_out"}}' WHERE id = ${id}`);

  test('the next call to the address is for the same person, in a new conversation', async () => {
    const first = accepted(await queue.accept(at('+97430000001')));
    const [second, other] = (
      await Promise.all([queue.accept(at('+97430000001')), queue.accept(at('+97430000002'))])
    ).map(accepted);
    expect(second!.endUserId).toBe(first.endUserId);
    expect(second!.conversationId).not.toBe(first.conversationId);
    expect(other!.endUserId).not.toBe(first.endUserId);
  });

  test.each([
    ['in one batch', 1],
    ['on two nodes', 2],
  ])('first calls to an address that arrive together %s are for one person', async (_, nodes) => {
    const queues = [queue, createAcceptQueue(db)].slice(0, nodes);
    for (let round = 0; round < 10; round++) {
      const calls = [1, 2].flatMap((key) =>
        queues.map((node, n) =>
          node.accept(
            at(`+9743100${nodes}${round}`, {
              conversation: { key: `together-${nodes}-${round}-${key}-${n}`, onExisting: 'continue' },
            }),
          ),
        ),
      );
      const runs = (await Promise.all(calls)).map(accepted);
      expect(new Set(runs.map((run) => run.endUserId)).size).toBe(1);
      expect(new Set(runs.map((run) => run.conversationId)).size).toBe(calls.length);
    }
    await queues[1]?.drain();
  });

  test('a call is for the person who has written from the address', async () => {
    const { endUserId } = accepted(await queue.accept(call({ endUser: { external_id: 'writer' } })));
    await db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id)
      VALUES (${base.orgId}, ${base.channelId}, '+97430000003', ${endUserId})`);
    expect(accepted(await queue.accept(at('+97430000003'))).endUserId).toBe(endUserId);
  });

  test('a new person with an opted-out address is opted out, and a stored person is not changed', async () => {
    const { endUserId: holder } = accepted(await queue.accept(at('+97430000004')));
    const stored = accepted(await queue.accept(call({ endUser: { external_id: 'stored' } })));
    await optOut(holder);
    const named = (id: string) => queue.accept(at('+97430000004', { endUser: { external_id: id } }));
    const [fresh, known] = [accepted(await named('fresh')), accepted(await named('stored'))];
    expect(await consentOf(fresh.endUserId)).toMatchObject({ sms: { status: 'opted_out', source: 'address' } });
    expect(known.endUserId).toBe(stored.endUserId);
    expect(await consentOf(stored.endUserId)).toEqual({});
  });

  test('the opt-out of a person at one address does not depend on calls to another address of this person', async () => {
    const { endUserId } = accepted(await queue.accept(at('+97430000006')));
    await optOut(endUserId);
    await db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id)
      VALUES (${base.orgId}, ${base.channelId}, '97430000006', ${endUserId})`);
    const [bySms, byWhatsapp] = (
      await Promise.all([
        queue.accept(at('+97430000006', { endUser: { external_id: 'by-sms' } })),
        queue.accept(at('97430000006', { endUser: { external_id: 'by-whatsapp' }, channelKind: 'whatsapp' })),
      ])
    ).map(accepted);
    expect(await consentOf(bySms!.endUserId)).toMatchObject({ sms: { status: 'opted_out' } });
    expect(await consentOf(byWhatsapp!.endUserId)).toEqual({});
  });

  test('an address that opted out before its person was erased stays opted out', async () => {
    const own = createAcceptQueue(db, suppression);
    const { endUserId } = accepted(await own.accept(at('+97430000005', { endUser: { phone: '+97430000005' } })));
    await optOut(endUserId);
    await db.transaction((tx) => eraseEndUser(tx, base.orgId, endUserId, suppression));
    const next = accepted(await own.accept(at('+97430000005')));
    expect(next.endUserId).not.toBe(endUserId);
    expect(await consentOf(next.endUserId)).toMatchObject({ sms: { status: 'opted_out' } });
    await own.drain();
  });
});

describe('a stop word for the team', () => {
  const consentOf = async (id: string) =>
    (await db.execute<{ consent: Record<string, unknown> }>(sql`SELECT consent FROM end_user WHERE id = ${id}`))
      .rows[0]!.consent;
  const start = async (key: string, endUser: AcceptCall['endUser']) => {
    const conversation = { key, onExisting: 'continue' as const };
    const run = accepted(await queue.accept(call({ conversation, endUser })));
    await db.execute(sql`UPDATE conversation SET status = 'handed_off' WHERE id = ${run.conversationId}`);
    return { conversation, personId: run.endUserId };
  };
  const stop = { message: 'STOP', optsOutOf: 'sandbox' };
  const optedOut = { sandbox: { status: 'opted_out', source: 'stop_word', at: expect.any(String) } };

  test.each([
    ['an anonymous person', null, null],
    ['a known person', { external_id: 'stop-1' }, { external_id: 'stop-1', name: 'Layla' }],
  ])('the opt-out of %s is stored with the call', async (name, given, named) => {
    const { conversation, personId } = await start(name, given);
    await db.execute(sql`UPDATE end_user SET consent = '{"sms": {"status": "opted_in"}}' WHERE id = ${personId}`);
    accepted(await queue.accept(call({ conversation, endUser: named, ...stop })));
    expect(await consentOf(personId)).toEqual({ ...optedOut, sms: { status: 'opted_in' } });
  });

  test('calls that arrive together store the opt-out and the data of the person', async () => {
    const endUser = { external_id: 'stop-2' };
    const [one, other] = [await start('stop-2a', endUser), await start('stop-2b', endUser)];
    const calls = [
      call({ conversation: one.conversation, ...stop }),
      call({ endUser: { ...endUser, name: 'Omar' } }),
      call({ conversation: other.conversation, ...stop, optsOutOf: 'sms' }),
    ];
    (await Promise.all(calls.map((each) => queue.accept(each)))).forEach(accepted);
    expect(await consentOf(one.personId)).toEqual({ ...optedOut, sms: optedOut.sandbox });
    expect(await count(`end_user WHERE id = '${one.personId}' AND name = 'Omar'`)).toBe(1);
  });

  test('a call that is refused or scheduled, or that the agent answers, stores no opt-out', async () => {
    const { conversation, personId } = await start('stop-3', { external_id: 'stop-3' });
    await queue.accept(call({ conversation, endUser: { external_id: 'stop-4' }, ...stop }));
    await queue.accept(call({ conversation, ...stop, sendAt: new Date(Date.now() + 3_600_000) }));
    await db.execute(sql`UPDATE conversation SET status = 'open' WHERE key = 'stop-3'`);
    accepted(await queue.accept(call({ conversation, ...stop })));
    expect(await consentOf(personId)).toEqual({});
  });
});

describe('idempotency keys', () => {
  test("a replay succeeds even if the first call's own effect would now refuse it", async () => {
    const again = {
      conversation: { key: 'only-one', onExisting: 'reject' as const },
      idempotency: idempotent('reject-1'),
    };
    const first = await queue.accept(call(again));
    const second = await queue.accept(call(again));
    expect([first.kind, second.kind]).toEqual(['accepted', 'replayed']);
  });

  test('a replay returns the first response and writes nothing again', async () => {
    const first = await queue.accept(call({ idempotency: idempotent('k1') }));
    const before = await count('run');
    const second = await queue.accept(call({ idempotency: idempotent('k1') }));
    expect(second).toEqual({ kind: 'replayed', answer: first.kind === 'accepted' && first.answer });
    expect(await count('run')).toBe(before);
  });

  test('a replay contains the messages, unless the person was erased in the meantime', async () => {
    const words = { status: 200, location: null, body: '{"messages":["Hello"]}' };
    for (const erased of [false, true]) {
      const again = call({ idempotency: idempotent(`words-${erased}`) });
      const outcome = await queue.accept(again);
      if (outcome.kind !== 'accepted') throw new Error('not accepted');
      if (erased) {
        const { endUserId } = outcome.run;
        await db.transaction((tx) => eraseEndUser(tx, base.orgId, endUserId, createSuppression(Buffer.alloc(32))));
      }
      await replaceStoredAnswer(db.$client, again, outcome.answer, words);
      const replay = await queue.accept(again);
      expect(replay.kind === 'replayed' && replay.answer.body === words.body).toBe(!erased);
    }
  });

  test('a repeated key with another body is refused', async () => {
    await queue.accept(call({ idempotency: idempotent('k2', '{"a":1}') }));
    const second = await queue.accept(call({ idempotency: idempotent('k2', '{"a":2}') }));
    expect(second.kind === 'refused' && second.refusal.code).toBe('idempotency_mismatch');
  });

  test('two nodes that write the same call at the same time create only one run', async () => {
    const other = createAcceptQueue(db);
    for (let round = 0; round < 20; round++) {
      const key = idempotent(`race-${round}`);
      const person = { external_id: `race-${round}` };
      const before = await count('run');
      const kinds = await Promise.all(
        [queue, other].map(async (node) => (await node.accept(call({ idempotency: key, endUser: person }))).kind),
      );
      expect(kinds.sort()).toEqual(['accepted', 'replayed']);
      expect(await count('run')).toBe(before + 1);
    }
  });
});

describe('the fence', () => {
  const states: [string, string, () => Promise<unknown>][] = [
    [
      'a revoked key',
      'key_revoked',
      () => db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${base.keyId}`),
    ],
    [
      'an expired key',
      'key_revoked',
      () => db.execute(sql`UPDATE api_key SET revoke_at = now() WHERE id = ${base.keyId}`),
    ],
    [
      'a caller outside the networks that the key was narrowed to',
      'network_not_allowed',
      () => db.execute(sql`UPDATE api_key SET allowed_networks = '{198.51.100.0/24}' WHERE id = ${base.keyId}`),
    ],
    [
      'the free plan',
      'plan_required',
      () => db.execute(sql`UPDATE organization SET plan = 'free' WHERE id = ${base.orgId}`),
    ],
    [
      'a deleted agent',
      'agent_not_found',
      () => db.execute(sql`UPDATE agent SET deleted_at = now() WHERE id = ${base.agentId}`),
    ],
    [
      'a disabled trigger',
      'trigger_disabled',
      () => db.execute(sql`UPDATE trigger SET enabled = false WHERE id = ${base.triggerId}`),
    ],
    [
      'a disabled channel',
      'channel_disabled',
      () => db.execute(sql`UPDATE channel SET enabled = false WHERE id = ${base.channelId}`),
    ],
  ];

  test.each(states)('nothing is written for %s, and the reason is returned', async (_, code, change) => {
    const saved = base;
    const orgId = await givenOrganization(db);
    const { agentId, channelId } = await givenAgent(db, orgId);
    base = {
      ...base,
      orgId,
      agentId,
      channelId,
      keyId: await givenKey(db, orgId),
      from: '203.0.113.7',
      triggerId: await givenTrigger(db, orgId, agentId),
    };
    await change();
    const outcome = await queue.accept(call({ idempotency: idempotent('fenced'), endUser: { external_id: 'x' } }));
    expect(outcome.kind === 'refused' && outcome.refusal.code).toBe(code);
    for (const table of ['run', 'conversation', 'end_user', 'idempotency']) {
      expect(await count(`${table} WHERE org_id = '${orgId}'`), table).toBe(0);
    }
    base = saved;
  });
});
