import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { FORMATS } from '../../src/http/route/formats.ts';
import { startTestApp } from '../app.ts';

/** Every example of the published description is valid under its schema. */
type Content = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  responses: Record<string, { content?: Record<string, Content> }>;
  requestBody?: { content: Record<string, Content> };
};

let paths: Record<string, Record<string, Operation>>;
let ajv: Ajv2020;

beforeAll(async () => {
  const parley = await startTestApp();
  const { body } = await parley.call('GET', '/api/openapi.json');
  await parley.stop();
  ({ paths } = body);
  ajv = new Ajv2020({ strict: false, allErrors: true });
  for (const [name, { test: validate }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate });
  ajv.addSchema(body, 'document');
});

test('every example is valid under its schema', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses, requestBody }] of Object.entries(operations)) {
      const contents = [requestBody, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}));
      for (const { schema, example, examples = {} } of contents) {
        const valid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
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

test('the families of end users and campaigns have an example of each body and each answer', () => {
  const lacking: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    if (!/^\/api\/(end-users|campaigns)/.test(path)) continue;
    for (const [method, { responses, requestBody }] of Object.entries(operations)) {
      const answers: Record<string, (typeof responses)[string]> = {
        ...responses,
        ...(requestBody && { body: requestBody }),
      };
      for (const [status, { content }] of Object.entries(answers)) {
        const json = Object.values(content ?? {})[0];
        if (json && json.example === undefined && json.examples === undefined)
          lacking.push(`${method} ${path} ${status}`);
      }
    }
  }
  expect(lacking).toEqual([]);
});
