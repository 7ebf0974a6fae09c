import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_EXAMPLES } from '../../contract/event-examples.ts';
import { EVENT_MEANINGS, EVENT_TYPES } from '../../contract/event-types.ts';
import { EVENT_DATA } from '../../contract/events.ts';
import { eventsSection } from '../../src/http/docs/events-section.ts';
import { newWebhookSecret, signWebhook } from '../../src/kernel/standard-webhooks.ts';

/**
 * The statements of docs/events.md and /docs about events are true: examples match their schemas, and the code runs.
 */
const DOCUMENT = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
const codeOf = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(DOCUMENT)![1]!;

let folder: string;
beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'parley-events-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = newWebhookSecret();
const body = '{"id":"evt_1","text":"أهلاً 🎉"}';
const rotating = signWebhook([newWebhookSecret(), secret], 'evt_1', new Date(), body);
const old = signWebhook(secret, 'evt_1', new Date(Date.now() - 600_000), body);
const CASES = [
  [rotating, body, true],
  [rotating, `${body} `, false],
  [{ ...rotating, 'webhook-id': 'evt_2' }, body, false],
  [{ ...rotating, 'webhook-signature': 'v1,AAAA' }, body, false],
  [old, body, false],
] as const;

test.each(EVENT_TYPES)('the example of %s matches its schema and is in the document', (type) => {
  expect([...Compile(EVENT_DATA[type]).Errors(EVENT_EXAMPLES[type])]).toEqual([]);
  expect(Object.keys(EVENT_EXAMPLES[type]).toSorted()).toEqual(Object.keys(EVENT_DATA[type].properties).toSorted());
  const section = `### \`${type}\`\n\n${EVENT_MEANINGS[type]}\n\n\`\`\`json\n${JSON.stringify(EVENT_EXAMPLES[type])}\n\`\`\`\n`;
  expect(DOCUMENT).toContain(section);
  expect(eventsSection()).toContain(`id="event-${type}"`);
});

test('the TypeScript example, which /docs also shows, verifies real deliveries', async () => {
  const file = path.join(folder, 'verify.ts');
  writeFileSync(file, codeOf('ts'));
  const { isFromParley } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    isFromParley: (secret: string, headers: Record<string, string>, body: string) => boolean;
  };
  expect(CASES.map(([headers, sent]) => isFromParley(secret, headers, sent))).toEqual(CASES.map(([, , good]) => good));
  expect(eventsSection()).toContain('export function isFromParley(secret: string');
});

const python = ['python3', 'python'].find((name) => {
  try {
    return execFileSync(name, ['--version']).length > 0;
  } catch {
    return false;
  }
});

test.skipIf(!python)('the Python example of the document verifies real deliveries', () => {
  const file = path.join(folder, 'verify.py');
  const input = JSON.stringify({ secret, cases: CASES });
  writeFileSync(
    file,
    `${codeOf('python')}
import json, sys
given = json.load(sys.stdin)
print(json.dumps([is_from_parley(given["secret"], h, b.encode()) for h, b, _ in given["cases"]]))
`,
  );
  const printed = execFileSync(python!, [file], { input }).toString();
  expect(JSON.parse(printed)).toEqual(CASES.map(([, , good]) => good));
});
