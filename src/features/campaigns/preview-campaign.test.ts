import { expect, it } from 'vitest';
import { previewSettings } from './preview-campaign.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

it('the preview shows the message to a person without name and values, and lists the empty placeholders', () => {
  const text = { default: 'Hi {{end_user.name|there}}, we miss you. {{voucher}} takes 10% off.' };
  const template = { name: 'hello', variables: { one: '{{shop}}', two: '{{voucher|a code}}' } };
  const body = { settings: {}, end_user: { name: 'Asha' }, variables: { voucher: 'W-1' } };
  const shown = previewSettings({ opening: { text } }, body, NOW);
  expect(shown.opening).toMatchObject({ text: 'Hi Asha, we miss you. W-1 takes 10% off.' });
  expect(shown.without).toEqual({
    opening: { type: 'text', text: 'Hi there, we miss you.  takes 10% off.' },
    empty: ['voucher'],
  });
  expect(previewSettings({ opening: { template } }, body, NOW).without).toMatchObject({
    opening: { variables: { one: '', two: 'a code' } },
    empty: ['shop'],
  });
  const other = { opening: { text: { default: 'Hi', ar: 'أهلاً {{end_user.name}}' } } };
  expect(previewSettings(other, body, NOW).without.empty).toEqual(['end_user.name']);
  expect(previewSettings({}, body, NOW).without).toEqual({ opening: null, empty: [] });
});
