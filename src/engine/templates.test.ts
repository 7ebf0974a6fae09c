import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { chooseText, renderTemplate, renderText, templateFault } from './templates.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const keptBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

describe('choosing a text', () => {
  it('the text of a locale is that of its region, its language, the default, or any text', () => {
    const text = { ar: 'مرحبا', en: 'Hello', default: 'Hi' };
    expect(chooseText(text, 'ar-QA')).toBe('مرحبا');
    expect(chooseText(text, 'AR_qa')).toBe('مرحبا');
    expect(chooseText(text, 'hi')).toBe('Hi');
    expect(chooseText(text, null)).toBe('Hi');
    expect(chooseText({ ar: 'مرحبا' }, 'en')).toBe('مرحبا');
    expect(chooseText({}, 'en')).toBeNull();
    expect(chooseText(undefined, 'en')).toBeNull();
  });

  it('a built-in object member is not mistaken for a language', () => {
    expect(chooseText({ default: 'Hi' }, 'constructor')).toBe('Hi');
  });
});

describe('rendering', () => {
  it('nested and flat variables are filled in, and their values are never escaped', () => {
    const variables = { order_id: 'A&B <1>', end_user: { name: 'Asha' }, 'crm.note': 'flat' };
    expect(renderTemplate('{{order_id}} {{{order_id}}} {{&order_id}}', variables)).toBe('A&B <1> A&B <1> A&B <1>');
    expect(renderTemplate('Hi {{ end_user.name }}, {{crm.note}}', variables)).toBe('Hi Asha, flat');
  });

  it('a value that is too long is not cut inside of a surrogate pair', () => {
    const long = `${'x'.repeat(3_999)}\u{1f600}`;
    expect(renderTemplate('{{a}}', { a: long })).toBe('x'.repeat(3_999));
    expect(renderTemplate('{{a}}', { a: [long, 'b'] })).toBe(`${'x'.repeat(3_999)},`);
    const full = renderTemplate('{{a}}'.repeat(9), { a: `${'x'.repeat(3_555)}\u{1f600}` });
    expect(full.isWellFormed()).toBe(true);
  });

  it('a missing variable is empty', () => {
    expect(renderTemplate('Order {{order_id}}{{a.b.c}}!', {})).toBe('Order !');
    expect(renderTemplate('{{order_id}}', { order_id: null })).toBe('');
  });

  it('a variable without a value gets its fallback, and empty places are reported', () => {
    const text = 'Hi {{ end_user.name | there }}, {{{voucher|your code}}} {{& note|}}{{size}}';
    expect(renderTemplate(text, {})).toBe('Hi there, your code ');
    expect(renderTemplate(text, { end_user: { name: 'Asha' }, voucher: 7, note: 'n', size: 'S' })).toBe(
      'Hi Asha, 7 nS',
    );
    expect(renderTemplate(text, { end_user: { name: ' ' }, voucher: '', note: null })).toBe('Hi there, your code ');
    expect(renderTemplate('{{size|S|M}}', {})).toBe('S|M');
    expect(templateFault('{{name|there')).toMatch(/not closed/);
    const empty = new Set<string>();
    renderTemplate(`${text}{{#vip}}{{level}}{{/vip}}`, {}, empty);
    expect([...empty]).toEqual(['size']);
  });

  it('a section is written once if its variable is set, and an inverted section if it is not set', () => {
    expect(renderTemplate('{{#name}}Hi {{name}}{{/name}}{{^name}}Hi{{/name}}', { name: 'Asha' })).toBe('Hi Asha');
    expect(renderTemplate('{{#name}}Hi {{name}}{{/name}}{{^name}}Hi{{/name}}', {})).toBe('Hi');
    expect(renderTemplate('{{#items}}x{{/items}}', { items: Array.from({ length: 9 }) })).toBe('x');
  });

  it('only own properties of objects are read, and no function is called', () => {
    expect(renderTemplate('{{constructor}}{{__proto__}}{{a.length}}{{a.constructor.name}}', { a: 'xyz' })).toBe('');
    expect(renderTemplate('{{call}}', { call: () => 'called' })).toBe('');
    expect(renderTemplate('{{> partial}}', { partial: 'no' })).toBe('');
  });

  it('lists of plain values are joined, and objects are rendered as empty', () => {
    expect(renderTemplate('{{sizes}} {{deep}}', { sizes: ['S', 2], deep: { a: 1 } })).toBe('S, 2 ');
  });

  it('a broken template is rendered as plain text, and its fault is reported on request', () => {
    expect(renderTemplate('Hi {{name', { name: 'Asha' })).toBe('Hi {{name');
    expect(templateFault('Hi {{name')).toMatch(/not closed/);
    expect(templateFault('Hi {{name}}')).toBeNull();
  });

  it('the cache of parsed templates is bounded, however many lines they have', () => {
    const before = keptBytes();
    for (let count = 0; count < 500; count++) renderTemplate(`{{v}}${count}${'\n'.repeat(3_900)}`, {});
    expect(keptBytes() - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('the output is bounded for any values', () => {
    expect(renderTemplate('{{v}}'.repeat(700), { v: 'x'.repeat(100_000) }).length).toBe(32_000);
    const list = Array.from({ length: 100 }, () => 'x'.repeat(4_000));
    expect(cpuMs(() => renderTemplate('{{v}}'.repeat(800), { v: list }))).toBeLessThan(50);
  });

  it('custom delimiters are not supported', () => {
    expect(templateFault('{{=<% %>=}}<% name %>')).toMatch(/changes the delimiters/);
    expect(renderTemplate('{{=<% %>=}}<% name %>', { name: 'Asha' })).toBe('{{=<% %>=}}<% name %>');
  });

  it('one call chooses the text and renders it', () => {
    expect(renderText({ ar: 'طلبك {{id}}' }, 'ar', { id: 7 })).toBe('طلبك 7');
    expect(renderText(undefined, 'ar', {})).toBeNull();
  });
});
