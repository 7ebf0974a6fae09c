import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization } from '../factories.ts';
import { callWith, type SignedIn, signedInOwner } from '../signed-in.ts';

/** The retention of conversations: who may set it, the preview, and a call whose conversation is being deleted. */
let parley: TestApp;
let owner: SignedIn;
let orgId: string;
let at: string;

beforeAll(async () => {
  parley = await startTestApp();
  ({ call: owner, orgId } = await signedInOwner(parley));
  at = `/organizations/${orgId}/retention`;
});
afterAll(() => parley?.stop());

async function invited(role: string): Promise<SignedIn> {
  const { body } = await owner(`POST /organizations/${orgId}/invitations`, { email: `${role}@example.com`, role });
  const accepted = await parley.call('POST', `/dashboard/api${new URL(body.url).pathname}`, {
    body: { name: role, password: 'correct horse battery' },
  });
  const cookies = accepted.headers.getSetCookie().map((line) => line.split(';', 1)[0]!);
  return callWith(parley, cookies.join('; '));
}

describe('the setting', () => {
  test('the retention is off at first, owners set and remove it, and each change is in the audit log', async () => {
    expect((await owner(`GET ${at}`)).body).toEqual({ days: null, swept_at: null });
    expect((await owner(`PUT ${at}`, { days: 90 })).body).toEqual({ days: 90, swept_at: null });
    await owner(`PUT ${at}`, { days: 90 });
    expect((await owner(`PUT ${at}`, { days: null })).body.days).toBeNull();
    const { body } = await owner(`GET /organizations/${orgId}/audit?subject_id=${orgId}`);
    const lines = body.data.filter(({ action }: { action: string }) => action === 'organization.retention_set');
    expect(lines.map(({ facts }: { facts: object }) => facts)).toEqual([
      { days: null, before: 90 },
      { days: 90, before: null },
    ]);
  });

  test.each([29, 3_651, 30.5, '90', undefined])(
    'the retention is a whole number of days from 30 to 3,650, not %s',
    async (days) => {
      expect((await owner(`PUT ${at}`, { days })).status).toBe(422);
    },
  );

  test('everyone in the organization can read the retention, and only owners can change it', async () => {
    for (const role of ['admin', 'member', 'viewer']) {
      const who = await invited(role);
      expect((await who(`GET ${at}`)).status).toBe(200);
      for (const refused of [await who(`PUT ${at}`, { days: 90 }), await who(`GET ${at}/preview?days=90`)])
        expect([refused.status, refused.body.code]).toEqual([403, 'role_missing']);
    }
    const foreign = await givenOrganization(parley.db);
    expect((await owner(`PUT /organizations/${foreign}/retention`, { days: 90 })).status).toBe(404);
  });
});

describe('a conversation that is deleted at this moment', () => {
  test.each([
    ['makes room for a new one', () => ({ end_user: { external_id: 'crm-42' } }), 202],
    ['is not there for a send that names it', (id: string) => ({ conversation_id: id }), 422],
  ])('%s', async (_, to, status) => {
    const { agentId, channelId } = await givenAgent(parley.db, orgId);
    const { value: key } = await parley.key(orgId, { permissions: ['channels'] });
    const send = (target: object) =>
      parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
        key,
        body: { to: target, content: { type: 'text', text: 'Hello' } },
      });
    const { conversation_id: old } = (await send({ end_user: { external_id: 'crm-42' } })).body;
    const client = await parley.db.$client.connect();
    try {
      await client.query('BEGIN');
      await client.query('DELETE FROM message WHERE org_id = $1 AND conversation_id = $2', [orgId, old]);
      await client.query('DELETE FROM conversation WHERE org_id = $1 AND id = $2', [orgId, old]);
      // The call was planned with the conversation and waits for its lock.
      const sent = send(to(old));
      await expect
        .poll(async () => (await parley.db.execute(sql`SELECT 1 FROM pg_locks WHERE NOT granted`)).rows.length)
        .toBeGreaterThan(0);
      await client.query('COMMIT');
      const answer = await sent;
      expect([answer.status, answer.body.conversation_id === old]).toEqual([status, false]);
    } finally {
      client.release();
    }
  });
});
