import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORMATS } from '../../src/kernel/validation/formats.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/** Every example of the published description is valid under its schema and matches the program's response. */
type Content = {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  'x-item-schema'?: object;
};
type Operation = {
  operationId: string;
  responses: Record<string, { content?: Record<string, Content> }>;
  requestBody?: { content: Record<string, Content> };
};

let parley: TestApp;
let paths: Record<string, Record<string, Operation>>;
let ajv: Ajv2020;

beforeAll(async () => {
  parley = await startTestApp();
  const { body } = await parley.call('GET', '/api/openapi.json');
  ({ paths } = body);
  ajv = new Ajv2020({ strict: false, allErrors: true });
  for (const [name, { test: validate }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate });
  ajv.addSchema(body, 'document');
});
afterAll(() => parley.stop());

/** Most responses share their schema with other responses, and compiling a schema takes some milliseconds. */
const compiled = new Map<string, ValidateFunction>();
function compile(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const found = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
  compiled.set(text, found);
  return found;
}

const operations = (): Operation[] => Object.values(paths).flatMap((methods) => Object.values(methods));
const contentOf = (id: string, status: number, type = 'application/json'): Content =>
  operations().find(({ operationId }) => operationId === id)!.responses[status]!.content![type]!;
const examplesOf = ({ example, examples = {} }: Content): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** The events of a stream, as a client parses them. */
const eventsOf = (text: string): { event: string; id?: string; data: string }[] =>
  text
    .split('\n\n')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s))))
    .filter(({ event }) => event !== undefined);

test('every example is valid under its schema', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses, requestBody }] of Object.entries(operations)) {
      const contents = [requestBody, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}));
      for (const { schema, example, examples = {} } of contents) {
        const valid = compile(schema);
        for (const value of [example, ...Object.values(examples).map((one) => one.value)]) {
          if (value === undefined) continue;
          checked++;
          if (!valid(value)) wrong.push(`${method} ${path}: ${ajv.errorsText(valid.errors)}`);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(300);
});

test('each body and each response has an example', () => {
  const lacking: string[] = [];
  for (const { operationId, responses, requestBody } of operations()) {
    const answers: Record<string, (typeof responses)[string]> = {
      ...responses,
      ...(requestBody && { body: requestBody }),
    };
    for (const [status, { content = {} }] of Object.entries(answers))
      for (const [type, one] of Object.entries(content))
        if (examplesOf(one).length === 0) lacking.push(`${operationId} ${status} ${type}`);
  }
  expect(lacking).toEqual([]);
});

test('each example of a stream has events that match its schema', () => {
  for (const id of ['startConversation', 'followRun']) {
    const { example, ...content } = contentOf(id, 200, 'text/event-stream');
    const valid = compile(content['x-item-schema']!);
    const events = eventsOf(example as string);
    expect(events.length).toBeGreaterThan(2);
    for (const one of events) expect([one, valid(one)]).toEqual([one, true]);
    const { oneOf } = content['x-item-schema'] as {
      oneOf: { properties: { event: { const: string }; data: { contentSchema: object } } }[];
    };
    for (const { event, data } of events) {
      const item = oneOf.find(({ properties }) => properties.event.const === event)!;
      expect([event, compile(item.properties.data.contentSchema)(JSON.parse(data))]).toEqual([event, true]);
    }
  }
});

test('no field of a schema has a default, because generators would require the field in a request', () => {
  const document = JSON.stringify(paths) + JSON.stringify(ajv.getSchema('document')?.schema);
  expect(document).not.toMatch(/"default":(?!\{)/);
  expect(document).toContain('Default: `false`.');
});

test('one field distinguishes the kinds of responses of a trigger call', async () => {
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  const { value: key } = await parley.key(orgId, { permissions: ['triggers', 'channels'] });
  const channel = (await parley.call('GET', `/api/channels/${agentId}`, { key })).body.data[0].id;

  const follows = (id: string, answer: Answer, name?: string): void => {
    const { schema, example, examples } = contentOf(id, answer.status);
    const valid = compile(schema);
    expect([id, valid(answer.body), valid.errors]).toEqual([id, true, null]);
    const shown = (name === undefined ? example : examples![name]!.value) as object;
    expect([id, Object.keys(answer.body)]).toEqual([id, expect.arrayContaining(Object.keys(shown))]);
  };
  const call = async (body: object, headers = {}) => parley.call('POST', path, { key, body, headers });

  const accepted = await call({ message: 'Hello' });
  expect(accepted).toMatchObject({ status: 202, body: { outcome: 'accepted' } });
  follows('startConversation', accepted);
  const answered = await call({ message: 'Hello' }, { prefer: 'wait=20' });
  expect(answered).toMatchObject({ status: 200, body: { outcome: 'answered' } });
  follows('startConversation', answered, 'answered');
  const planned = await call({ dry_run: true });
  expect(planned).toMatchObject({ status: 200, body: { outcome: 'dry_run' } });
  follows('startConversation', planned, 'dry_run');
  expect(contentOf('startConversation', 200).schema).toMatchObject({
    discriminator: {
      propertyName: 'outcome',
      mapping: { answered: '#/components/schemas/AnsweredRun', dry_run: '#/components/schemas/DryRun' },
    },
  });
  const streamed = await call({ message: 'Hello' }, { accept: 'text/event-stream' });
  expect(eventsOf(streamed.text).map(({ event }) => event)).toEqual(expect.arrayContaining(['run', 'message']));

  const run = `${path}/runs/${answered.body.id}`;
  follows('readRun', await parley.call('GET', run, { key }));
  follows('listRuns', await parley.call('GET', `${path}/runs`, { key }));
  follows('cancelRun', await parley.call('POST', `${run}/cancel`, { key }));
  follows('listChannels', await parley.call('GET', `/api/channels/${agentId}`, { key }));
  const messages = `/api/channels/${agentId}/${channel}/messages`;
  const body = { to: { end_user: { external_id: 'a' } }, content: { type: 'text', text: 'Hello' } };
  const sent = await parley.call('POST', messages, { key, body });
  follows('readChannelMessage', await parley.call('GET', `${messages}/${sent.body.id}`, { key }));
});
