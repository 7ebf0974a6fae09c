import { expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../test/factories.ts';
import { useDatabase } from '../../test/use-database.ts';
import { lockAgent } from '../store/agents/read.ts';
import { publishDefinition } from '../store/agents/versions.ts';
import { changeAgent } from '../store/agents/write.ts';
import type { Db } from '../store/db.ts';
import { deleteDocumentRow, insertDocument } from '../store/documents.ts';
import { readNextDocument } from '../store/agents/read-for-turns.ts';
import type { DocumentsOf } from './knowledge/messages.ts';
import { createAgentLoader } from './load-agent.ts';
import { NO_KNOWLEDGE } from '../engine/provider.ts';

let db: Db;

useDatabase((own) => {
  db = own;
});

test('documents get a new edition when one is added or removed, but not when the definition changes', async () => {
  const orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  const editions: DocumentsOf[] = [];
  const load = createAgentLoader(db, async () => ({ name: 'fake', turn: () => Promise.reject(new Error('unused')) }), {
    of: (documents) => {
      editions.push(documents);
      return NO_KNOWLEDGE;
    },
  });
  let revision = 1;
  const loaded = async (): Promise<string | undefined> => {
    await changeAgent(db, orgId, agentId, {});
    editions.length = 0;
    await load(orgId, agentId, ++revision);
    return editions[0]?.edition;
  };

  expect(await loaded()).toBeUndefined();
  await insertDocument(db, orgId, { id: 'doc_1', agentId, name: 'One', text: 'é' });
  const one = await loaded();
  expect(editions).toEqual([{ orgId, agentId, edition: one, bytes: 2 }]);
  await publishDefinition(db, (await lockAgent(db, orgId, agentId))!, { instructions: 'Other' }, null);
  expect(await loaded()).toBe(one);
  await insertDocument(db, orgId, { id: 'doc_2', agentId, name: 'Two', text: 'b' });
  const both = await loaded();
  expect(both).not.toBe(one);
  const next = (after: string | null) => readNextDocument(db.$client, orgId, agentId, after);
  expect([(await next(null))?.id, (await next('doc_1'))?.id, await next('doc_2')]).toEqual(['doc_1', 'doc_2', null]);
  await deleteDocumentRow(db, orgId, agentId, 'doc_2');
  expect(await loaded()).toBe(one);
});
