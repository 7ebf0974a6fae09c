import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MAX_NOTES } from '../../../contract/limits.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { readFingerprints } from '../../store/organizations/fingerprints.ts';
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

test('a note stands beside the conversation and changes nothing in it', async () => {
  const before = await readConversation(parley, orgId, id);
  const one = await addNote(parley, orgId, id, 'She called twice.', asha);
  const two = await addNote(parley, orgId, id, 'I take it.', omar);
  expect([one.author_id, two.author_id]).toEqual([asha.userId, omar.userId]);
  expect(await readConversation(parley, orgId, id)).toEqual({ ...before, notes: [one, two] });
  const { rows } = await parley.db.execute(sql`SELECT 1 FROM message WHERE org_id = ${orgId}
    UNION ALL SELECT 1 FROM event WHERE org_id = ${orgId} AND data::text LIKE '%She called twice.%'`);
  expect(rows).toEqual([]);
  const list = await listConversations(parley, orgId, asha.userId, {}, { limit: 20, after: null });
  expect(JSON.stringify(list)).not.toContain('She called twice.');
});

test('open windows learn of a note, and of one that goes', async () => {
  const print = async () => (await readFingerprints(parley.db, [{ orgId, kind: 'conversation', id }]))[0];
  const first = await print();
  const { id: noteId } = await addNote(parley, orgId, id, 'Look here.', asha);
  expect(await print()).not.toBe(first);
  await deleteNote(parley, orgId, id, noteId, asha);
  expect(await print()).toBe(first);
});

test('only the author deletes a note', async () => {
  const { id: noteId } = await addNote(parley, orgId, id, 'Mine.', asha);
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

test('a conversation has a limit of notes, also when they arrive at once', async () => {
  await parley.db.execute(sql`INSERT INTO conversation_note (org_id, id, conversation_id, author_id, text)
    SELECT ${orgId}, 'note_' || n, ${id}, ${asha.userId}, 'x' FROM generate_series(2, ${MAX_NOTES}) AS n`);
  const written = await Promise.allSettled([1, 2, 3].map(() => addNote(parley, orgId, id, 'One more.', omar)));
  expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(addNote(parley, orgId, id, 'x', asha)).rejects.toMatchObject({ code: 'note_limit_reached' });
  expect(await notes()).toHaveLength(MAX_NOTES);
});

test('a conversation of another organization takes no note', async () => {
  const adding = addNote(parley, await givenOrganization(parley.db), id, 'x', asha);
  await expect(adding).rejects.toMatchObject({ code: 'conversation_not_found' });
});
