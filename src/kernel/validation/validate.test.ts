import { Type, type TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { idPattern } from '../../../contract/ids.ts';
import { LocalizedText } from '../../../contract/agents.ts';
import { PushRecipients, RecipientInput } from '../../../contract/campaigns.ts';
import { DASHBOARD_ROUTES } from '../../../contract/dashboard/routes.ts';
import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import { MessageContent } from '../../../contract/messages.ts';
import type { Fault, Refusal } from '../../../contract/problems.ts';
import { EndUserInput, TriggerCall } from '../../../contract/triggers.ts';
import { cpuMs } from '../../../test/cpu-time.ts';
import { MAX_FAULTS } from './faults.ts';
import { compileBody } from './validate.ts';

function faults(schema: TSchema, value: unknown): Fault[] {
  try {
    compileBody(schema)(value);
    return [];
  } catch (error) {
    const { code, extras } = error as Refusal;
    return code === 'validation_failed' ? extras.errors! : [];
  }
}
const places = (schema: TSchema, value: unknown): string[] =>
  faults(schema, value).map(({ pointer, code }) => `${pointer} ${code}`);
const closed = { additionalProperties: false };

it('routes with the same schema share one compiled check', () => {
  const schema = Type.Object({ name: Type.String() });
  expect(compileBody(schema)).toBe(compileBody(schema));
  expect(compileBody(schema)).not.toBe(compileBody(Type.Object({ name: Type.String() })));
});

describe('a body that breaks its schema', () => {
  it('an invalid body gets one fault for each mistake, with its place', () => {
    const schema = Type.Object(
      { name: Type.String({ maxLength: 3 }), age: Type.Integer({ minimum: 0 }), tags: Type.Array(Type.String()) },
      closed,
    );
    expect(places(schema, { name: 'four', age: -1, tags: ['a', 7], extra: true })).toEqual([
      '/extra unknown_field',
      '/name too_long',
      '/age out_of_range',
      '/tags/1 type',
    ]);
    expect(places(schema, {})).toEqual(['/name required', '/age required', '/tags required']);
    expect(() => compileBody(schema)({})).toThrow('3 faults in the request: see "errors".');
    expect(() => compileBody(schema)({ name: 'a', age: 1 })).toThrow('One fault in the request: see "errors".');
  });

  it('an invalid body is not repaired: no type is converted and no unknown field is dropped', () => {
    expect(places(Type.Object({ n: Type.Integer() }), { n: '12' })).toEqual(['/n type']);
    expect(places(Type.Object({ s: Type.String() }), { s: 12 })).toEqual(['/s type']);
    expect(places(Type.Object({ b: Type.Boolean() }), { b: 'true' })).toEqual(['/b type']);
    const body = { a: 1, b: 2 };
    expect(places(Type.Object({ a: Type.Integer() }, closed), body)).toEqual(['/b unknown_field']);
    expect(body).toEqual({ a: 1, b: 2 });
  });

  it('an invalid body is reported without its values', () => {
    const faultTexts = JSON.stringify(
      faults(TriggerCall, { message: 7, end_user: { email: 'sesame', phone: 'sesame', id: 'sesame' } }),
    );
    expect(faultTexts).not.toContain('sesame');
    expect(faultTexts).toContain('enduser_');
    expect(faultTexts).toContain('E.164');
  });

  it('an invalid body is reported with at most fifty faults', () => {
    expect(
      faults(
        Type.Array(Type.String()),
        Array.from({ length: 20_000 }, () => 1),
      ),
    ).toHaveLength(MAX_FAULTS);
  });

  it('a list that is too long is reported, even if it has other faults', () => {
    const columns = Array.from({ length: 20_000 }, () => 1);
    expect(places(Type.Object({ ids: Type.Array(Type.String(), { maxItems: 600 }) }), { ids: columns })).toContain(
      '/ids/0 type',
    );
    const ids = Array.from({ length: 601 }, () => 'x');
    expect(places(Type.Object({ ids: Type.Array(Type.String(), { maxItems: 600 }) }), { ids })).toEqual([
      '/ids too_many',
    ]);
    expect(places(Type.Array(Type.String()), [...ids, 7])).toEqual(['/601 type']);
  });

  it.each([
    ['recipients', PushRecipients, (entries: unknown[]) => ({ recipients: entries })],
    ['columns', DASHBOARD_ROUTES.runImport.body, (entries: unknown[]) => ({ columns: entries })],
    [
      'types of events',
      DASHBOARD_ROUTES.createWebhook.body,
      (entries: unknown[]) => ({ url: 'https://a.example', types: entries }),
    ],
    [
      'words of rules',
      DASHBOARD_ROUTES.createAgent.body,
      (entries: unknown[]) => ({ definition: { rules: Array.from({ length: 200 }, () => ({ words: entries })) } }),
    ],
  ])(
    'a body with many faults costs no more than a large valid body: %s',
    (_name, schema, bodyOf) => {
      const check = compileBody(schema);
      expect(() => check({})).toThrow(/request/);
      const entries = Array.from({ length: MAX_BODY_BYTES / 8 }, (_, index) => index);
      expect(cpuMs(() => expect(() => check(bodyOf(entries))).toThrow(/faults/))).toBeLessThan(200);
    },
    30_000,
  );

  it('a duplicate entry is reported as a duplicate', () => {
    const schema = Type.Object({ permissions: Type.Array(Type.String(), { uniqueItems: true }) });
    expect(faults(schema, { permissions: ['triggers', 'channels', 'triggers'] })).toEqual([
      { pointer: '/permissions', code: 'duplicate', detail: 'Must not contain the same entry twice.' },
    ]);
  });

  it('a body that is not an object has one fault at its root', () => {
    for (const value of [[], null, 'x', 1, true]) expect(places(TriggerCall, value)).toEqual([' type']);
  });

  it('names in pointers are escaped, and very long ones are shortened', () => {
    expect(places(Type.Object({}, closed), { 'a/b~c': 1 })).toEqual(['/a~1b~0c unknown_field']);
    expect(faults(Type.Object({}, closed), { ['x'.repeat(5_000)]: 1 })[0]!.pointer).toHaveLength(300);
  });
});

describe('a value with alternatives', () => {
  it('a value is checked against the intended alternative', () => {
    expect(places(MessageContent, { type: 'text' })).toEqual(['/text required']);
    expect(places(MessageContent, { type: 'image', url: 'not a url', size: 1 })).toEqual([
      '/size unknown_field',
      '/url format',
    ]);
    expect(
      places(Type.Object({ content: MessageContent }), {
        content: { type: 'choices', text: 'x', choices: [{ id: 'a' }] },
      }),
    ).toEqual(['/content/choices/0/label required']);
  });

  it('a value that matches no alternative is reported once, with the list of alternatives', () => {
    const [fault, ...others] = faults(MessageContent, { type: 'hologram' });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ pointer: '/type', code: 'not_allowed' });
    expect(fault!.detail).toContain('text, image, audio');
    expect(places(MessageContent, {})).toEqual(['/type required']);
    expect(places(MessageContent, 'text')).toEqual([' type']);
  });

  it('a value with literal alternatives gets one fault that lists them', () => {
    const schema = Type.Union([Type.Literal('continue'), Type.Literal('new')]);
    expect(faults(schema, 'maybe')).toEqual([
      { pointer: '', code: 'not_allowed', detail: 'Must be one of: continue, new.' },
    ]);
  });

  it('a nullable value is reported with the fault of the value', () => {
    const schema = Type.Object({ send_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]) });
    expect(places(schema, { send_at: 'tomorrow' })).toEqual(['/send_at format']);
    expect(faults(schema, { send_at: 5 })).toEqual([
      { pointer: '/send_at', code: 'type', detail: 'Must be a string or null.' },
    ]);
    expect(faults(schema, { send_at: null })).toEqual([]);
  });
});

describe('free-form objects', () => {
  it('a free-form object may not have a name that its schema does not allow', () => {
    const text = { default: 'Hello', ar: 'مرحبا' };
    expect(places(LocalizedText, text)).toEqual([]);
    expect(places(LocalizedText, { ...text, 'ar-QA': -1 })).toEqual(['/ar-QA unknown_field']);
    const long = 'n'.repeat(65);
    const longName = (at: string): string => `${at}/${long} name_invalid`;
    expect(places(EndUserInput, { external_id: 'a', attributes: { [long]: 1 } })).toContain(longName('/attributes'));
    expect(places(RecipientInput, { end_user: { external_id: 'a' }, variables: { [long]: 1 } })).toContain(
      longName('/variables'),
    );
  });

  it('the value under every key is checked, even if the key contains a line break', () => {
    const schema = Type.Record(Type.String(), Type.String());
    expect(places(schema, { 'a\nb': 1 })).toEqual(['/a\nb type']);
    expect(places(schema, { ok: 'x' })).toEqual([]);
  });
});

const format = (name: string, text: string): boolean => faults(Type.String({ format: name }), text).length === 0;

describe('formats', () => {
  it.each([
    ['date-time', '2026-11-21T06:00:00Z', true],
    ['date-time', '2026-11-21T06:00:00.123+05:30', true],
    ['date-time', '2026-11-21T06:00:00', false],
    ['date-time', '2026-02-30T06:00:00Z', false],
    ['date-time', '2026-11-21 06:00:00Z', false],
    ['date-time', '2026-11-21T24:00:00Z', false],
    ['date-time', '2026-11-21t06:00:00.5z', true],
    ['date-time', '2026-11-21T06:00:00+15:59', true],
    ['date-time', '2026-11-21T06:00:00-16:00', false],
    ['date-time', '0000-06-01T06:00:00Z', false],
    ['date-time', '0001-01-01T00:00:00+01:00', false],
    ['date-time', '9999-12-31T23:59:59-01:00', false],
    ['date', '2024-02-29', true],
    ['date', '2026-02-29', false],
    ['email', 'asha@example.qa', true],
    ['email', 'مستخدم@مثال.إختبار', true],
    ['email', 'आशा@उदाहरण.भारत', true],
    ['email', 'a@b', false],
    ['email', 'a@b-.de', false],
    ['email', 'a@b.123', false],
    ['email', 'a@b..c', false],
    ['email', 'a b@c.de', false],
    ['email', 'a@c.de\n', false],
    ['uri', 'https://example.com/a?b#c', true],
    ['uri', 'javascript:alert(1)', false],
    ['uri', '//example.com', false],
    ['uri', 'https://exa mple.com', false],
    ['locale', 'ar-QA', true],
    ['locale', 'not a locale', false],
    ['locale', 'english', false],
    ['locale', 'ar_QA', false],
    ['line', 'أحمد O’Brien', true],
    ['line', 'Ann\n=1', false],
    ['line', 'Ann\tB', false],
    ['line', 'Ann\u2028B', false],
    ['line', 'Ann\u0085B', false],
    ['time-zone', 'Asia/Qatar', true],
    ['time-zone', 'Asia/Calcutta', true],
    ['time-zone', '+03:00', false],
    ['time-zone', 'Mars/Base', false],
  ])('the format %s with %j: %s', (name, text, expected) => {
    expect(format(name, text)).toBe(expected);
  });

  it('the fault names the kind of ID that was expected', () => {
    const [fault] = faults(Type.String({ pattern: idPattern('channel') }), 'channel_1');
    expect(fault!.detail).toBe('Must be an id that starts with channel_.');
  });
});
