import { expect, test } from 'vitest';
import { nameOfSite, originOf } from './site-origin.ts';

test.each([
  ['shop.example', 'https://shop.example'],
  [' Shop.Example/cart?x=1 ', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['http://shop.example:8080/a', 'http://shop.example:8080'],
  ['localhost:3000', 'http://localhost:3000'],
  ['münchen.example', 'https://xn--mnchen-3ya.example'],
])('the site %j has a known origin', (typed, origin) => {
  expect(originOf(typed)).toBe(origin);
});

test.each(['', 'shop', 'my shop', 'me@shop.example', '*.shop.example', 'ftp://shop.example', 'javascript:alert(1)'])(
  'the text %j is not understood as a site',
  (typed) => {
    expect(originOf(typed)).toBeNull();
  },
);

test('the name of the site becomes the name of the channel', () => {
  expect(nameOfSite('https://www.shop.example')).toBe('shop.example');
});
