import { expect, test } from 'vitest';
import { channelKinds } from './kinds.ts';
import { unreadableAddress } from './unreadable-address.ts';

test.each([
  ['whatsapp', 'Must be a phone number in E.164, such as +97430000000.'],
  ['sms', 'Must be a phone number in E.164, such as +97430000000.'],
  ['email', 'Must be an e-mail address.'],
  ['telegram', 'This is not a valid address on a telegram channel.'],
])('an address that a %s channel cannot read gets a sentence with the fix', (kind, sentence) => {
  expect(unreadableAddress(channelKinds.get(kind)!)).toBe(sentence);
});
