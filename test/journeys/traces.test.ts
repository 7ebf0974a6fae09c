import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { type CollectedSpan, type Collector, startCollector } from '../fakes/otlp-collector.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** One trace over an API process and a worker process, sent to a collector that validates OTLP strictly. */
let api: TestApp;
let worker: TestApp;
let owner: Owner;
let model: FakeModel;
let shop: Receiver;
let hook: Receiver;
let collector: Collector;
let key: { id: string; value: string };
let path: string;

const QUESTION = 'Where is my order A-1043? Write to asha@example.com';
const ANSWER = 'It has shipped to Asha.';

beforeAll(async () => {
  [model, shop, hook, collector] = await Promise.all([
    startFakeModel(),
    startReceiver(),
    startReceiver(),
    startCollector(),
  ]);
  const env = {
    PARLEY_SECRET: randomBytes(48).toString('base64'),
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=only%20for%20it',
  };
  api = await startTestApp(env, { role: 'api' });
  worker = await startTestApp(env, { role: 'worker', database: api.database });
  owner = await givenOwner(api);
  const base_url = model.baseUrl('openai_compatible');
  await owner.call('PUT /models/openai_compatible', { base_url, key: FAKE_MODEL_KEY });
  await owner.call('POST /webhooks', { url: `${hook.url}/events`, types: ['message.sent'] });
  key = await api.key(owner.orgId);
  const tools = [
    { name: 'order_status', description: 'Looks up.', parameters: { type: 'object' as const }, url: `${shop.url}/o` },
  ];
  const { agentId } = await givenAgent(api.db, owner.orgId, {
    definition: { provider: 'openai_compatible', model: 'local', tools },
  });
  path = `/api/triggers/${agentId}/${await givenTrigger(api.db, owner.orgId, agentId)}`;
});
afterAll(async () => {
  await worker.stop();
  await api.stop();
  await Promise.all([model.close(), shop.stop(), hook.stop(), collector.stop()]);
});
beforeEach(() => {
  for (const list of [collector.spans, shop.calls, hook.calls]) list.splice(0);
});

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function call(headers: Record<string, string> = {}, credentials: { key?: string } = { key: key.value }) {
  if (credentials.key === key.value)
    model.script({ tool: 'order_status', args: { order_id: 'A-1043' } }, { text: ANSWER });
  const body = { message: QUESTION, end_user: { external_id: 'crm-7', email: 'asha@example.com' } };
  return api.call('POST', path, { ...credentials, body, headers: { prefer: 'wait=15', ...headers } });
}
async function collected(enough: (spans: CollectedSpan[]) => boolean): Promise<CollectedSpan[]> {
  await expect.poll(() => enough(collector.spans), { timeout: 20_000 }).toBe(true);
  expect(collector.faults).toEqual([]);
  return collector.spans;
}
const named = (spans: CollectedSpan[], name: string) => spans.filter((span) => span.name.startsWith(name));

test('the trace of the caller contains request, run, turn, model, tool and webhook', async () => {
  expect((await call({ traceparent: CALLER, tracestate: 'them=1', baggage: 'who=asha' })).status).toBe(200);
  await hook.received(1);
  const spans = await collected((all) => ['POST', 'run', 'deliver'].every((name) => named(all, name).length > 0));
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['4bf92f3577b34da6a3ce929d0e0e4736']));
  const [request, run, turn, tool] = ['POST', 'run', 'invoke_agent', 'execute_tool'].map(
    (name) => named(spans, name)[0]!,
  );
  const chats = named(spans, 'chat local');
  expect(request!.parentSpanId).toBe('00f067aa0ba902b7');
  expect(run!.parentSpanId).toBe(request!.spanId);
  expect(turn!.parentSpanId).toBe(run!.spanId);
  expect([...chats, tool].map((span) => span!.parentSpanId)).toEqual([turn!.spanId, turn!.spanId, turn!.spanId]);
  expect([request!.resource['parley.role'], run!.resource['parley.role']]).toEqual(['api', 'worker']);
  expect(request).toMatchObject({
    kind: 2,
    name: 'POST /api/triggers/:agent_id/:trigger_id',
    attributes: { 'http.response.status_code': 200, 'parley.key.id': key.id },
    resource: { 'service.name': 'parley', 'service.version': 'test' },
  });
  expect(chats[0]!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai_compatible',
    'gen_ai.request.model': 'local',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.response.model': 'local',
    'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
    'gen_ai.response.finish_reasons': [expect.stringMatching(/^(tool_call|stop)$/)],
  });
  expect(turn!.name).toBe(`invoke_agent ${String(turn!.attributes['gen_ai.agent.name'])}`);
  expect(turn!.attributes['gen_ai.agent.id']).toMatch(/^agent_/);
  expect(tool!.attributes).toMatchObject({
    'gen_ai.tool.name': 'order_status',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': expect.stringMatching(/^call_/),
    'http.response.status_code': 200,
  });
  for (const span of spans) expect(span.end).toBeGreaterThanOrEqual(span.start);

  const [asked] = shop.calls;
  expect(asked!.headers['traceparent']).toBe(`00-${tool!.traceId}-${tool!.spanId}-01`);
  const [told] = hook.calls;
  expect(told!.headers['traceparent']).toBe(`00-${tool!.traceId}-${named(spans, 'deliver')[0]!.spanId}-01`);
  // Extra headers of a caller are not forwarded, and the model provider receives no trace headers.
  for (const { headers } of [asked!, told!, ...model.calls])
    expect([headers['tracestate'], headers['baggage']]).toEqual([undefined, undefined]);
  expect(model.calls.every(({ headers }) => headers['traceparent'] === undefined)).toBe(true);
  expect(collector.requests.every(({ headers }) => headers['x-collector-key'] === 'only for it')).toBe(true);
});

test('no text, key or address of a person is in a trace', async () => {
  await call();
  await collected((all) => named(all, 'run').length > 0 && named(all, 'POST').length > 0);
  const sent = collector.requests.map(({ body }) => body).join();
  for (const secret of [QUESTION, ANSWER, 'A-1043', 'asha@', 'crm-7', key.value, FAKE_MODEL_KEY, model.url, shop.url])
    expect(sent).not.toContain(secret);
});

test('an invalid traceparent starts a new trace, and a call without a valid key starts none', async () => {
  const bad = `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`;
  await call({ traceparent: bad });
  const [first] = named(await collected((all) => named(all, 'POST').length > 0), 'POST');
  expect(first!.parentSpanId).toBeNull();
  expect(first!.traceId).not.toBe('0'.repeat(32));
  collector.spans.splice(0);
  expect((await call({ traceparent: CALLER }, { key: 'parley_us_wrong' })).status).toBe(401);
  await call();
  const spans = await collected((all) => named(all, 'run').length > 0 && named(all, 'POST').length > 0);
  expect(spans.filter(({ traceId }) => CALLER.includes(traceId))).toEqual([]);
});

test('no process records a trace that the caller does not sample', async () => {
  await call({ traceparent: CALLER.replace(/01$/, '00') });
  await call();
  const spans = await collected((all) => named(all, 'run').length > 0 && named(all, 'POST').length > 0);
  expect(spans.filter(({ traceId }) => CALLER.includes(traceId))).toEqual([]);
  expect(shop.calls[0]!.headers['traceparent']).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
});

test('a failed model is an error with its code in the trace', async () => {
  model.script({ status: 400, message: 'secret words of the provider' });
  await api.call('POST', path, { key: key.value, body: { message: 'Hi' } });
  const spans = await collected((all) => named(all, 'run').length > 0);
  for (const name of ['chat', 'invoke_agent', 'run'])
    expect(named(spans, name)[0]).toMatchObject({ isError: true, attributes: { 'error.type': 'provider_refused' } });
  expect(collector.requests.map(({ body }) => body).join()).not.toContain('secret words');
});

test('the span of a tool contains only the status of its response', async () => {
  shop.answer = () => ({ status: 503, text: 'secret words of the shop' });
  await call();
  shop.answer = () => ({});
  const [tool] = named(await collected((all) => named(all, 'run').length > 0), 'execute_tool');
  expect(tool).toMatchObject({ isError: true, attributes: { 'error.type': '503', 'http.response.status_code': 503 } });
  expect(collector.requests.map(({ body }) => body).join()).not.toContain('secret words of the shop');
});

test('the span of a turn has its texts only if content is enabled, and never credentials', async () => {
  await using parley = await startContent();
  await parley.ask('Hello, my password=hunter22hunter22');
  const [turn] = named(await collected((all) => named(all, 'invoke_agent').length > 0), 'invoke_agent');
  const { 'gen_ai.input.messages': asked, 'gen_ai.output.messages': output } = turn!.attributes;
  expect(asked).toContain('Hello, my password=');
  expect(asked).not.toContain('hunter22');
  const parts = [{ type: 'text', content: expect.any(String) }];
  expect(JSON.parse(String(asked))).toEqual([{ role: 'user', parts }]);
  expect(JSON.parse(String(output))).toEqual([{ role: 'assistant', parts, finish_reason: 'stop' }]);
});

async function startContent() {
  const parley = await startTestApp({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  });
  const { agentId, orgId } = await givenAgentOf(parley);
  const at = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const { value } = await parley.key(orgId);
  return {
    ask: (message: string) => parley.call('POST', at, { key: value, body: { message } }),
    [Symbol.asyncDispose]: () => parley.stop(),
  };
}

async function givenAgentOf({ db }: TestApp) {
  const orgId = await givenOrganization(db);
  return { orgId, ...(await givenAgent(db, orgId)) };
}
