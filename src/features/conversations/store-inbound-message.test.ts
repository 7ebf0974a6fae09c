import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../../store/db.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { endUser } from '../../store/schema/end-user.ts';
import { createInboundQueue } from './inbound-queue.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('a name from a provider is stored as one line, and a name without a letter is not stored', async () => {
  const orgId = await givenOrganization(db);
  const { agentId, channelId: id } = await givenAgent(db, orgId);
  const queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
  const channel = { orgId, id, agentId, kind: 'telegram' as const, enabled: true, settings: {}, sealed: null };
  for (const [address, name] of [
    ['1', 'Ann\r\n=1+1\u0085\u0000'],
    ['2', '\r\n\u0007'],
  ] as const) {
    const content = { type: 'text' as const, text: 'hello' };
    const event = { type: 'message' as const, eventId: address, address, person: { name }, content };
    await queue.store(channel, event, 'req_test');
  }
  const people = await db.select({ name: endUser.name }).from(endUser).where(eq(endUser.orgId, orgId));
  expect(people.map(({ name }) => name)).toEqual(expect.arrayContaining(['Ann =1+1', null]));
});

test('people who share an e-mail address or a phone are different people if their external IDs differ', async () => {
  const orgId = await givenOrganization(db);
  const { agentId, channelId: id } = await givenAgent(db, orgId);
  const queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
  const channel = { orgId, id, agentId, kind: 'webhook' as const, enabled: true, settings: {}, sealed: null };
  const shared = { email: 'family@example.qa', phone: '+97430000007' };
  const write = async (address: string, person: object) => {
    const content = { type: 'text' as const, text: 'Where is my order?' };
    const event = { type: 'message' as const, eventId: address, address, person, content };
    await queue.store(channel, event, 'req_test');
  };
  await write('crm-1', { external_id: 'crm-1', ...shared });
  await write('crm-2', { external_id: 'crm-2', ...shared });
  // A person who is known only by an address may be the one with this address.
  await write('nameless', { email: shared.email });
  const people = await db.execute(sql`SELECT i.address, e.external_id, e.email, e.phone FROM identity i
    JOIN end_user e ON e.org_id = i.org_id AND e.id = i.end_user_id WHERE i.org_id = ${orgId} ORDER BY i.address`);
  expect(people.rows).toEqual([
    { address: 'crm-1', external_id: 'crm-1', ...shared },
    { address: 'crm-2', external_id: 'crm-2', email: null, phone: null },
    { address: 'nameless', external_id: 'crm-1', ...shared },
  ]);
});

test('a message whose file has an address with NUL is stored', async () => {
  const orgId = await givenOrganization(db);
  const { agentId, channelId: id } = await givenAgent(db, orgId);
  const queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
  const channel = { orgId, id, agentId, kind: 'email' as const, enabled: true, settings: {}, sealed: null };
  const content = { type: 'text' as const, text: 'See the file' };
  const file = { name: 'a.txt', source: { url: 'https://files.example.qa/a\u0000\ud83d' } };
  const event = { type: 'message' as const, eventId: 'e', address: 'a@example.qa', person: {}, content, file };
  expect(await queue.store(channel, event, 'req_test')).toMatchObject({ messageId: expect.any(String) });
  const { rows } = await db.execute(sql`SELECT source FROM attachment WHERE org_id = ${orgId}`);
  expect(rows).toEqual([{ source: { url: 'https://files.example.qa/a\ufffd' } }]);
});
