import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { NO_KNOWLEDGE, type Provider } from '../../engine/provider.ts';
import type { Db } from '../../store/db.ts';
import { writeMemberHelp } from '../../store/conversations/member-help.ts';
import { draftReply, type HelpDeps, summarize } from './help-members.ts';

let db: Db;
let orgId: string;
let id: string;

useDatabase((made) => (db = made));
beforeEach(async () => {
  orgId = await givenOrganization(db);
  const definition = { provider: 'openai' as const, model: 'm' };
  const { channelId } = await givenAgent(db, orgId, { definition });
  ({ id } = await givenConversation(db, orgId, channelId, { status: 'handed_off' }));
  await db.execute(sql`UPDATE conversation SET handed_off_at = '2026-11-27T08:00:00Z' WHERE id = ${id}`);
  await writeMemberHelp(db, orgId, { summary: true, draft: true, translation: false });
});

/** A model that writes this text. */
function writing(text: string): HelpDeps & { calls: () => number } {
  let calls = 0;
  const turn = async () => {
    calls++;
    return { messages: [{ content: { type: 'text', text }, sources: [] }] };
  };
  const answering = {
    findProvider: async () => ({ name: 'openai', turn }) as unknown as Provider,
    loadAgent: async () => ({ knowledge: NO_KNOWLEDGE }),
  } as unknown as HelpDeps['answering'];
  return { db, answering, calls: () => calls };
}

test('a summary with NUL is stored, so the model is called once', async () => {
  const deps = writing('Wants\u0000 a refund.');
  expect(await summarize(deps, orgId, id)).toMatchObject({ text: 'Wants\ufffd a refund.' });
  await summarize(deps, orgId, id);
  expect(deps.calls()).toBe(1);
});

test.each([
  ['We open at nine.\n\nSOURCES: 1, 2', 'We open at nine.'],
  ['We open at nine. SOURCES:', 'We open at nine.'],
  ['SOURCES: 1\nWe open at nine.', 'SOURCES: 1\nWe open at nine.'],
  ['We open at nine.', 'We open at nine.'],
])('the draft %j has no list of sources at its end', async (written, text) => {
  expect(await draftReply(writing(written), orgId, id)).toMatchObject({ text });
});

test('a draft of many line breaks takes little time', async () => {
  const text = `a${'\n'.repeat(31_000)}b`;
  expect(await cpuMsUntil(() => draftReply(writing(text), orgId, id))).toBeLessThan(300);
});
