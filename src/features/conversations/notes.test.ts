import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MAX_NOTES } from '../../../contract/limits.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { member, user } from '../../store/schema/identity.ts';
import { readFingerprints } from '../../store/organizations/fingerprints.ts';
import { newId } from '../../kernel/ids.ts';
import { removeMember } from '../members/change-members.ts';
import { countConversations } from './count-conversations.ts';
import { markConversationSeen } from './mark-seen.ts';
import { addNote, deleteNote } from './notes.ts';
import { listConversations, readConversation } from './read-conversations.ts';

const asha = { userId: 'user_asha', address: null, requestId: null };
const omar = { userId: 'user_omar', address: null, requestId: null };

let parley: TestApp;
let orgId: string;
let id: string;

beforeAll(async () => {
  parley = await startTestApp();
});
beforeEach(async () => {
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  ({ id } = await givenConversation(parley.db, orgId, channelId, { status: 'open' }));
});
afterAll(() => parley.stop());

const notes = async () => (await readConversation(parley, orgId, id)).notes;

test('a note is shown next to the conversation and does not change it', async () => {
  const before = await readConversation(parley, orgId, id);
  const one = await addNote(parley, orgId, id, { text: 'She called twice.' }, asha);
  const two = await addNote(parley, orgId, id, { text: 'I take it.' }, omar);
  expect([one.author_id, two.author_id]).toEqual([asha.userId, omar.userId]);
  expect(await readConversation(parley, orgId, id)).toEqual({ ...before, notes: [one, two] });
  const { rows } = await parley.db.execute(sql`SELECT 1 FROM message WHERE org_id = ${orgId}
    UNION ALL SELECT 1 FROM event WHERE org_id = ${orgId} AND data::text LIKE '%She called twice.%'`);
  expect(rows).toEqual([]);
  const list = await listConversations(parley, orgId, asha.userId, {}, { limit: 20, after: null });
  expect(JSON.stringify(list)).not.toContain('She called twice.');
});

test('open windows are notified of a new note and of a deleted one', async () => {
  const print = async () => (await readFingerprints(parley.db, [{ orgId, kind: 'conversation', id }]))[0];
  const first = await print();
  const { id: noteId } = await addNote(parley, orgId, id, { text: 'Look here.' }, asha);
  expect(await print()).not.toBe(first);
  await deleteNote(parley, orgId, id, noteId, asha);
  expect(await print()).toBe(first);
});

test('only the author deletes a note', async () => {
  const { id: noteId } = await addNote(parley, orgId, id, { text: 'Mine.' }, asha);
  const other = await givenOrganization(parley.db);
  for (const deleting of [
    () => deleteNote(parley, orgId, id, noteId, omar),
    () => deleteNote(parley, other, id, noteId, asha),
    () => deleteNote(parley, orgId, 'conv_other', noteId, asha),
  ])
    await expect(deleting()).rejects.toMatchObject({ code: 'note_not_found' });
  expect(await notes()).toHaveLength(1);
  await deleteNote(parley, orgId, id, noteId, asha);
  expect(await notes()).toEqual([]);
  await expect(deleteNote(parley, orgId, id, noteId, asha)).rejects.toMatchObject({ code: 'note_not_found' });
});

test('a conversation has a maximum number of notes, even if they arrive at once', async () => {
  await parley.db.execute(sql`INSERT INTO conversation_note (org_id, id, conversation_id, author_id, text)
    SELECT ${orgId}, 'note_' || n, ${id}, ${asha.userId}, 'x' FROM generate_series(2, ${MAX_NOTES}) AS n`);
  const written = await Promise.allSettled(
    [1, 2, 3].map(() => addNote(parley, orgId, id, { text: 'One more.' }, omar)),
  );
  expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(addNote(parley, orgId, id, { text: 'x' }, asha)).rejects.toMatchObject({ code: 'note_limit_reached' });
  expect(await notes()).toHaveLength(MAX_NOTES);
});

test('a mentioned member finds the conversation in any state, until they read the note, leave, or it is deleted', async () => {
  const [rania, zaid] = [`user_r_${orgId}`, `user_z_${orgId}`];
  for (const userId of [rania, zaid]) {
    await parley.db.insert(user).values({ id: userId, name: userId, email: `${userId}@example.qa` });
    await parley.db
      .insert(member)
      .values({ id: newId('member'), organizationId: orgId, userId, role: userId === rania ? 'owner' : 'member' });
  }
  const listed = async (userId: string) =>
    (await listConversations(parley, orgId, userId, { view: 'mentions' }, { limit: 20, after: null })).rows.length;
  const isNew = async (userId: string) => (await countConversations(parley, orgId, userId)).mentions;
  const waiting = async () => (await readFingerprints(parley.db, [{ orgId, kind: 'waiting', id: '' }]))[0];
  const before = await waiting();
  const note = await addNote(
    parley,
    orgId,
    id,
    { text: '@Rania and @Zaid, please look.', mentions: [rania, zaid] },
    asha,
  );
  expect(note.mentions).toEqual([rania, zaid]);
  expect(await waiting()).not.toBe(before);
  expect((await notes())[0]!.mentions).toEqual([rania, zaid]);
  expect([await listed(rania), await isNew(rania), await listed(asha.userId), await isNew(asha.userId)]).toEqual([
    1, 1, 0, 0,
  ]);
  const other = await givenOrganization(parley.db);
  expect((await countConversations(parley, other, rania)).mentions).toBe(0);

  await markConversationSeen(parley, orgId, id, rania);
  expect([await listed(rania), await isNew(rania), await isNew(zaid)]).toEqual([1, 0, 1]);
  const { rows } = await parley.db.execute<{ id: string }>(
    sql`SELECT id FROM member WHERE organization_id = ${orgId} AND user_id = ${zaid}`,
  );
  await removeMember(parley, orgId, rows[0]!.id, { userId: rania, role: 'owner' }, asha);
  expect([await listed(zaid), await isNew(zaid)]).toEqual([0, 0]);
  await deleteNote(parley, orgId, id, note.id, asha);
  expect(await listed(rania)).toBe(0);
});

test('a note can mention only members, and other mentions are not stored', async () => {
  const adding = addNote(parley, orgId, id, { text: '@Stranger', mentions: ['user_stranger'] }, asha);
  await expect(adding).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await notes()).toEqual([]);
});

test('a note cannot be added to a conversation of another organization', async () => {
  const adding = addNote(parley, await givenOrganization(parley.db), id, { text: 'x' }, asha);
  await expect(adding).rejects.toMatchObject({ code: 'conversation_not_found' });
});
