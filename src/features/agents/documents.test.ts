import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { KNOWLEDGE_BYTES } from '../../../contract/plans.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import { deleteAgentRows } from '../../store/agents/delete.ts';
import type { Db } from '../../store/db.ts';
import { insertDocument } from '../../store/documents.ts';
import { setOrganizationPlan } from '../../store/organizations/organizations.ts';
import { document } from '../../store/schema/agent.ts';
import { user } from '../../store/schema/identity.ts';
import { createDocument, deleteDocument, listDocuments, readKnowledgeUse } from './documents.ts';

let db: Db;
const actor = { userId: 'user_1', address: '127.0.0.1', requestId: 'req_1' };

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  await db.insert(user).values({ id: actor.userId, name: 'Asha', email: 'asha@example.com' });
});

const { agent: ofAgent, organization: ofOrganization } = KNOWLEDGE_BYTES.free;
const MIB = 1024 * 1024;

/** Documents that exist already, from any source. */
const fill = (orgId: string, agentId: string, bytes: number) =>
  insertDocument(db, orgId, { id: newId('doc'), agentId, name: 'Full', text: 'x'.repeat(bytes) });
const add = (orgId: string, agentId: string, bytes: number) =>
  createDocument({ db }, orgId, agentId, { name: 'More', text: 'x'.repeat(bytes) }, actor).then(
    () => 'added',
    (error: { code: string }) => error.code,
  );

describe('documents', () => {
  test('the documents of an agent have a size limit, counted in bytes', async () => {
    const orgId = await givenOrganization(db, { plan: 'free' });
    const { agentId } = await givenAgent(db, orgId);
    await fill(orgId, agentId, ofAgent - 10);
    const arabic = { name: 'More', text: 'مفتوح' };
    await createDocument({ db }, orgId, agentId, arabic, actor);
    expect(await add(orgId, agentId, 1)).toBe('knowledge_agent_full');
    const use = await readKnowledgeUse({ db }, orgId, agentId);
    expect(use).toEqual({
      agent: { bytes: ofAgent, max_bytes: ofAgent },
      organization: { bytes: ofAgent, max_bytes: ofOrganization },
    });
  });

  test('the documents of all agents share the limit of the organization, even if they are added simultaneously', async () => {
    const orgId = await givenOrganization(db, { plan: 'free' });
    const agents = await Promise.all(Array.from({ length: 5 }, () => givenAgent(db, orgId)));
    const ids = agents.map(({ agentId }) => agentId);
    for (const id of ids.slice(0, 2)) await fill(orgId, id, ofAgent);
    const outcomes = await Promise.all(
      [2, 3, 4].flatMap((at) => [add(orgId, ids[at]!, MIB / 2), add(orgId, ids[at]!, MIB / 2)]),
    );
    expect(outcomes.toSorted()).toEqual([
      'added',
      'added',
      ...Array.from({ length: 4 }, () => 'knowledge_organization_full'),
    ]);
    expect((await readKnowledgeUse({ db }, orgId, ids[0]!)).organization.bytes).toBe(ofOrganization);
  });

  test("the limit of an agent's documents applies, even if they are added simultaneously", async () => {
    const orgId = await givenOrganization(db, { plan: 'free' });
    const { agentId } = await givenAgent(db, orgId);
    await fill(orgId, agentId, MIB);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => add(orgId, agentId, MIB / 2)));
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(2);
  });

  test('documents stay after a change to the free plan, but none can be added', async () => {
    const orgId = await givenOrganization(db, { plan: 'paid' });
    const { agentId } = await givenAgent(db, orgId);
    await fill(orgId, agentId, ofAgent + 1);
    expect(await add(orgId, agentId, 10)).toBe('added');
    await setOrganizationPlan(db, orgId, 'free');
    expect(await add(orgId, agentId, 10)).toBe('knowledge_agent_full');
    const { rows } = await listDocuments({ db }, orgId, agentId, {}, { limit: 10, after: null });
    expect(rows).toHaveLength(2);
    for (const { id } of rows) await deleteDocument({ db }, orgId, agentId, id, actor);
    expect(await add(orgId, agentId, 10)).toBe('added');
  });

  test('documents of a deleted agent are deleted and use no space', async () => {
    const orgId = await givenOrganization(db, { plan: 'free' });
    const [gone, other] = [await givenAgent(db, orgId), await givenAgent(db, orgId)];
    await fill(orgId, gone.agentId, ofAgent);
    await deleteAgentRows(db, orgId, gone.agentId);
    expect(await db.select({ id: document.id }).from(document).where(eq(document.orgId, orgId))).toEqual([]);
    expect((await readKnowledgeUse({ db }, orgId, other.agentId)).organization.bytes).toBe(0);
  });

  test('documents of another organization are not found', async () => {
    const [orgId, foreign] = [await givenOrganization(db), await givenOrganization(db)];
    const { agentId } = await givenAgent(db, foreign);
    await expect(readKnowledgeUse({ db }, orgId, agentId)).rejects.toMatchObject({ code: 'agent_not_found' });
    expect(await add(orgId, agentId, 10)).toBe('agent_not_found');
  });
});
