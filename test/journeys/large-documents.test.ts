import { setTimeout as pause } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { insertDocument } from '../../src/store/documents.ts';
import { message as messages } from '../../src/store/schema/conversation.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { cpuMsUntil } from '../cpu-time.ts';
import { manualText } from '../documents.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

async function givenAgentWith(texts: string[]): Promise<(message: string) => Promise<string[]>> {
  const orgId = await givenOrganization(app.db);
  const { agentId } = await givenAgent(app.db, orgId);
  const triggerId = await givenTrigger(app.db, orgId, agentId);
  for (const [at, text] of texts.entries())
    await insertDocument(app.db, orgId, { id: newId('doc'), agentId, name: `Manual ${at}`, text });
  const { value: key } = await app.key(orgId);
  return async (message) => {
    const path = `/api/triggers/${agentId}/${triggerId}`;
    const { body } = await app.call('POST', path, { key, body: { message } });
    const status = async () =>
      (await app.call('GET', `${path}/runs/${body.id as string}`, { key })).body.status as string;
    await expect.poll(status, { timeout: 120_000, interval: 250 }).toBe('waiting_for_user');
    const stored = await app.db.select().from(messages).where(eq(messages.orgId, orgId));
    return stored.flatMap(({ sources }) => (sources ?? []).map(({ quote }) => quote));
  };
}

test(
  'the first message to an agent with large documents does not delay other requests',
  { tags: ['long'] },
  async () => {
    const texts = Array.from({ length: 12 }, (_, at) => manualText(256 * 1024, at + 1));
    const askLarge = await givenAgentWith([...texts, 'The warehouse opens at 6 am.']);
    const askSmall = await givenAgentWith(['The shop opens at 9 am.']);
    let isAnswered = false;
    const inTurn: string[] = [];
    const large = askLarge('When does the warehouse open?').then((answer) => {
      isAnswered = true;
      inTurn.push('large');
      return answer;
    });
    const small = askSmall('When does the shop open?').then((answer) => {
      inTurn.push('small');
      return answer;
    });
    const slowest = { ms: 0 };
    while (!isAnswered) {
      const ms = await cpuMsUntil(async () => expect((await fetch(`${app.url}/api/health`)).status).toBe(200));
      slowest.ms = Math.max(slowest.ms, ms);
      await pause(20);
    }
    // Delays of other requests during the answer: with the documents on its own thread, the server took seconds.
    expect(slowest.ms).toBeLessThan(200);
    expect(await small).toEqual(['The shop opens at 9 am.']);
    expect(await large).toEqual(['The warehouse opens at 6 am.']);
    expect(inTurn).toEqual(['small', 'large']);
  },
);
