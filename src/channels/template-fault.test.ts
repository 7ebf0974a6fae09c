import { expect, test } from 'vitest';
import type { ChannelTemplate } from '../../contract/dashboard/channels.ts';
import { templateFault } from './template-fault.ts';
import { checkTemplate } from './check-template.ts';

const template = (more: Partial<ChannelTemplate> = {}): ChannelTemplate => ({
  name: 'order_ready',
  language: 'en-US',
  status: 'approved',
  category: 'utility',
  header: null,
  header_type: 'image',
  body: 'Hi {{1}}!',
  footer: null,
  buttons: [],
  variables: ['header.image', '1'],
  can_be_sent: true,
  ...more,
});
const WHOLE = { '1': 'Asha', 'header.image': 'https://shop.example/a.png' };
const faultOf = (more: object, items = [template()]) =>
  templateFault({ type: 'template', name: 'order_ready', language: 'en_US', variables: WHOLE, ...more }, items);

test.each([
  ['a template with all values is accepted', {}, null],
  ['a variable of a campaign may be an address', { variables: { ...WHOLE, 'header.image': '{{image}}' } }, null],
  ['an optional value is accepted', { variables: { ...WHOLE, 'button.1.payload': 'yes' } }, null],
  ['an unknown name', { name: 'order' }, 'There is no template "order". Templates: order_ready.'],
  [
    'a missing language',
    { language: 'ar' },
    'The template "order_ready" does not exist in the language "ar". Languages: en-US.',
  ],
  ['missing values', { variables: { '1': ' ' } }, 'The template "order_ready" needs a value for "header.image", "1".'],
  [
    'a value without a placeholder',
    { variables: { ...WHOLE, '2': 'B' } },
    'The template "order_ready" has no placeholder "2". Remove the value.',
  ],
  [
    'an address without https',
    { variables: { ...WHOLE, 'header.image': 'http://shop.example/a.png' } },
    'The value of "header.image" must start with https://.',
  ],
])('%s', (_, more, fault) => {
  expect(faultOf(more)).toBe(fault);
});

test('a template that is not approved, or has an unknown part, cannot be sent', () => {
  expect(faultOf({}, [template({ status: 'paused', can_be_sent: false })])).toContain('"paused"');
  expect(faultOf({}, [template({ can_be_sent: false })])).toContain('a part that Parley cannot fill');
  expect(faultOf({}, [])).toBe('There is no template "order_ready". The account has no templates.');
});

test('no message is refused if the templates cannot be read from the provider', async () => {
  const row = { id: 'channel_1', kind: 'whatsapp', settings: {} };
  const content = { type: 'template' as const, name: 'unknown' };
  const refused = { refused: { code: 'provider_unreachable', detail: '', setting: null, isBroken: false } };
  const check = (answer: typeof refused | { items: ChannelTemplate[] } | null) => {
    const deps = { connector: { templates: async () => answer }, openSecrets: async () => ({}) };
    return checkTemplate(deps, row, content, '/content');
  };
  await check(null);
  await check(refused);
  await expect(check({ items: [] })).rejects.toMatchObject({
    message: expect.stringContaining('There is no template "unknown"'),
    extras: { errors: [{ pointer: '/content', code: 'template' }] },
  });
});
