import { describe, expect } from 'vitest';
import { docx, pdf } from '../../../test/office-files.ts';
import { ascending, inShop, pointersOf } from '../../../test/shop.ts';
import { countLockWaits } from '../../../test/lock-waits.ts';
import { modelCredential, openCredential } from '../../store/credentials.ts';

describe('agents', () => {
  inShop(
    'have a sandbox channel from the start, and a changed definition takes effect immediately',
    async ({ call, at, newAgent, revisionOf }) => {
      const agent = await newAgent();
      expect(agent).toMatchObject({ version: 1, provider: 'embedded', unpublished_changes: false, definition: {} });
      expect(agent.sandbox_channel_id).toMatch(/^channel_/);
      const before = await revisionOf(agent.id);
      const definition = { opening: { en: 'Hello {{end_user.name}}' } };
      const updated = await call(`PATCH ${at}/agents/${agent.id}`, { definition });
      expect(updated.body).toMatchObject({ version: 2, published: definition, definition });
      expect(await revisionOf(agent.id)).toBeGreaterThan(before);
      expect((await call(`PATCH ${at}/agents/${agent.id}`, { definition })).body.version).toBe(2);
    },
  );

  inShop(
    'keep a draft until it is published, and restore earlier versions as new ones',
    async ({ call, at, newAgent }) => {
      const first = { opening: { en: 'One' } };
      const second = { opening: { en: 'Two' } };
      const agent = await newAgent(first);
      const drafted = await call(`PATCH ${at}/agents/${agent.id}`, { definition: second, publish: false });
      expect(drafted.body).toMatchObject({
        version: 1,
        published: first,
        definition: second,
        unpublished_changes: true,
      });
      expect((await call(`POST ${at}/agents/${agent.id}/publish`)).body).toMatchObject({
        version: 2,
        published: second,
      });
      const restored = await call(`POST ${at}/agents/${agent.id}/versions/1/restore`);
      expect(restored.body).toMatchObject({ version: 3, published: first });
      const { body } = await call(`GET ${at}/agents/${agent.id}/versions?limit=2`);
      expect(body.data.map((one: { version: number }) => one.version)).toEqual([3, 2]);
      expect(body.data[0].published_by).toBe('owner');
      const rest = await call(`GET ${at}/agents/${agent.id}/versions?limit=2&cursor=${body.next_cursor}`);
      expect(rest.body).toMatchObject({ data: [{ version: 1 }], has_more: false });
      for (const version of ['0', '99', 'x', '1e1', '99999999999']) {
        expect((await call(`POST ${at}/agents/${agent.id}/versions/${version}/restore`)).body.code).toBe(
          'version_not_found',
        );
      }
    },
  );

  inShop('have one new version if two members publish the same draft', async ({ server, call, at, newAgent }) => {
    const { id } = await newAgent();
    await call(`PATCH ${at}/agents/${id}`, { definition: { opening: { en: 'Two' } }, publish: false });
    const lock = await server.db.$client.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM agent WHERE id = $1 FOR UPDATE', [id]);
    const both = Promise.all([1, 2].map(() => call(`POST ${at}/agents/${id}/publish`, { live: false })));
    await expect.poll(() => countLockWaits(server.db.$client)).toBe(2);
    await lock.query('COMMIT');
    lock.release();
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await call(`GET ${at}/agents/${id}/versions`);
    expect(body.data.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  });

  inShop('are refused with every fault of their definition, and nothing is written', async ({ call, at }) => {
    const answer = await call(`POST ${at}/agents`, {
      name: 'Faulty',
      definition: {
        provider: 'openai',
        opening: { en: 'Hello {{#open}}' },
        steps: {
          items: [
            { name: 'size', type: 'choice', ask: { en: 'Which?' } },
            { name: 'size', type: 'number', ask: {}, min: 5, max: 1 },
          ],
        },
        rules: [{ name: 'empty' }, { name: 'trap', pattern: '(a+', action: 'start_steps' }],
        tools: [{ name: 't', description: 'd', parameters: {}, url: 'https://tools.example/x' }],
      },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(pointersOf(answer)?.toSorted()).toEqual(
      [
        '/definition/model',
        '/definition/opening/en',
        '/definition/steps/items/0/choices',
        '/definition/steps/items/1/name',
        '/definition/steps/items/1/ask',
        '/definition/steps/items/1/min',
        '/definition/rules/0',
        '/definition/rules/0',
        '/definition/rules/1/pattern',
        '/definition/tools/0/parameters',
      ].toSorted(),
    );
    expect((await call(`GET ${at}/agents`)).body.data).toEqual([]);
  });

  inShop(
    'are disabled and deleted immediately for nodes that cache them, with everything that belongs to them',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      const { access } = server;
      const { body: trigger } = await call(`POST ${at}/triggers`, { agent_id: agent.id, name: 'T' });
      expect(await access.facts.agent(owner.orgId, agent.id)).toMatchObject({ enabled: true, name: 'Concierge' });
      expect(await access.facts.trigger(owner.orgId, trigger.id)).not.toBeNull();
      await call(`PATCH ${at}/agents/${agent.id}`, { enabled: false });
      expect(await access.facts.agent(owner.orgId, agent.id)).toMatchObject({ enabled: false });
      expect((await call(`DELETE ${at}/agents/${agent.id}`)).status).toBe(204);
      expect(await access.facts.agent(owner.orgId, agent.id)).toBeNull();
      expect(await access.facts.trigger(owner.orgId, trigger.id)).toBeNull();
      for (const path of [`agents/${agent.id}`, `triggers/${trigger.id}`, `channels/${agent.sandbox_channel_id}`]) {
        expect((await call(`GET ${at}/${path}`)).status).toBe(404);
      }
    },
  );

  inShop('have documents; each change of one is a new revision', async ({ call, at, newAgent, revisionOf }) => {
    const agent = await newAgent();
    const before = await revisionOf(agent.id);
    const documents = `${at}/agents/${agent.id}/documents`;
    const { status, body } = await call(`POST ${documents}`, { name: 'Hours', text: 'مفتوح ٩–١٧' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Hours', bytes: Buffer.byteLength('مفتوح ٩–١٧') });
    expect((await call(`GET ${documents}/${body.id}`)).body.text).toBe('مفتوح ٩–١٧');
    expect(await revisionOf(agent.id)).toBe(before + 1);
    expect((await call(`DELETE ${documents}/${body.id}`)).status).toBe(204);
    expect(await revisionOf(agent.id)).toBe(before + 2);
    expect((await call(`GET ${documents}`)).body.data).toEqual([]);
  });

  inShop(
    'have at most 1,000 documents, also under a burst at the limit',
    async ({ server, owner, call, at, newAgent }) => {
      const agent = await newAgent();
      await server.db.$client.query(
        `INSERT INTO document (org_id, id, agent_id, name, text)
       SELECT $1, 'doc_' || lpad(n::text, 26, '0'), $2, 'n', 't' FROM generate_series(1, 999) n`,
        [owner.orgId, agent.id],
      );
      const add = () => call(`POST ${at}/agents/${agent.id}/documents`, { name: 'n', text: 't' });
      const statuses = (await Promise.all([add(), add(), add()])).map(({ status }) => status);
      expect(statuses.toSorted(ascending)).toEqual([201, 422, 422]);
    },
  );
});

describe('a file', () => {
  inShop('becomes a document by its content, and one that cannot says why', async ({ server, owner, newAgent }) => {
    const agent = await newAgent();
    const send = async (name: string, body: Uint8Array) => {
      const path = `/organizations/${owner.orgId}/agents/${agent.id}/documents/upload`;
      const answer = await fetch(`${server.url}${path}?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { cookie: owner.cookie, 'content-type': 'application/octet-stream' },
        body,
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const added = await send('Guide.docx', await docx());
    expect(added).toMatchObject({ status: 201, body: { name: 'Guide.docx', agent_id: agent.id } });
    const { rows } = await server.db.$client.query('SELECT text FROM document WHERE id = $1', [added.body['id']]);
    expect(rows[0].text).toContain('## Delivery\n\nDelivery costs 15 riyals.');
    expect(await send('Guide.pdf', pdf(['']))).toMatchObject({
      status: 422,
      body: { code: 'file_not_readable', errors: [{ code: 'scanned' }] },
    });
    expect(await send('Guide.pdf', Buffer.alloc(10 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(await send('', Buffer.from('Words.'))).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });
});

describe('the playground', () => {
  inShop(
    'takes a turn of the draft or of the edited text, shows why, and stores nothing',
    async ({ server, call, at, newAgent }) => {
      const agent = await newAgent({ opening: { en: 'Hello' } });
      await call(`POST ${at}/agents/${agent.id}/documents`, {
        name: 'Hours',
        text: '# Opening hours\n\nThe shop is open from 9:00 to 17:00 every day.',
      });
      const play = `POST ${at}/agents/${agent.id}/playground`;
      const opened = await call(play, {});
      expect(opened.body).toMatchObject({
        messages: [{ content: { type: 'text', text: 'Hello' } }],
        next: 'waiting_for_user',
      });
      expect(opened.body.trace.provider).toBe('embedded');
      const edited = await call(play, { definition: { opening: { en: 'Hi {{name}}' } }, variables: { name: 'Asha' } });
      expect(edited.body.messages[0].content.text).toBe('Hi Asha');
      const messages = [
        { role: 'agent', text: 'Hello' },
        { role: 'end_user', text: 'What are the opening hours of the shop?' },
      ];
      const answered = await call(play, { messages, state: opened.body.state });
      expect(answered.body.messages[0].sources).toMatchObject([{ document: 'Hours' }]);
      expect((await call(play, { definition: { provider: 'openai' } })).status).toBe(422);
      const unconnected = await call(play, { definition: { provider: 'openai', model: 'm' } });
      expect([unconnected.status, unconnected.body.code]).toEqual([502, 'provider_failed']);
      const { rows } = await server.db.$client.query('SELECT 1 FROM message');
      expect(rows).toEqual([]);
    },
  );
});

describe('model credentials', () => {
  inShop(
    'are sealed, never shown, and cause a new revision of every agent',
    async ({ server, owner, call, at, newAgent, revisionOf }) => {
      const agent = await newAgent();
      const before = await revisionOf(agent.id);
      const key = 'sk-canary-0123456789';
      const set = await call(`PUT ${at}/models/openai`, { key });
      expect(set.body).toMatchObject({ provider: 'openai', has_key: true, base_url: null });
      expect(await revisionOf(agent.id)).toBe(before + 1);
      const { rows } = await server.db.$client.query('SELECT sealed_key FROM model_provider');
      expect(JSON.stringify([rows, set.body, (await call(`GET ${at}/audit`)).body])).not.toContain('canary');
      const place = modelCredential({ orgId: owner.orgId, provider: 'openai', baseUrl: null });
      expect(await openCredential(server.db, server.secrets.sealingKey, place, rows[0].sealed_key)).toBe(key);
      expect((await call(`PUT ${at}/models/openai`, { base_url: null })).body.has_key).toBe(true);
      expect((await call(`DELETE ${at}/models/openai`)).status).toBe(204);
      expect((await call(`GET ${at}/models`)).body).toEqual({ data: [] });
    },
  );

  inShop('report what is missing', async ({ call, at }) => {
    expect(pointersOf(await call(`PUT ${at}/models/openai_compatible`, { key: 'x' }))).toEqual(['/base_url']);
    expect(pointersOf(await call(`PUT ${at}/models/anthropic`, { base_url: 'https://x.example' }))).toEqual(['/key']);
    expect((await call(`PUT ${at}/models/embedded`, { key: 'x' })).status).toBe(404);
  });
});
