import fc from 'fast-check';
import mustache, { type Token as MustacheToken } from 'mustache';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { parseTemplate, type Token } from './parse-template.ts';

const writer = new mustache.Writer();
writer.templateCache = undefined;

/** The rendered form of a text, with names and sections unchanged; adjacent texts are merged. */
const theirs = (tokens: readonly MustacheToken[]): string =>
  tokens
    .map(([kind, value, , , children]) => {
      if (kind === 'text') return value;
      if (kind === 'name' || kind === '&') return `<${value}>`;
      return kind === '#' || kind === '^' ? `<${kind}${value}>${theirs(children as MustacheToken[])}</>` : '';
    })
    .join('');
const ours = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.kind === 'text') return token.text;
      if (token.kind === 'name') return `<${token.name}>`;
      return `<${token.inverted ? '^' : '#'}${token.name}>${ours(token.children)}</>`;
    })
    .join('');

const signs = ['{{', '}}', '{{{', '}}}', '{', '}', '#', '/', '^', '!', '&', '>', 'a', ' ', '\n', '\r\n', '\t'];
const tags = ['{{a}}', '{{ a }}', '{{{a}}}', '{{#a}}', '{{/a}}', '{{^b}}', '{{/b}}', '{{! c}}', '{{> p}}'];
const template = fc
  .array(fc.constantFrom(...signs, ...tags, ...tags), { maxLength: 14 })
  .map((pieces) => pieces.join(''));

describe('reading a template', () => {
  it('the result equals that of mustache, except for custom delimiters', () => {
    const agree = fc.property(template, (text) => {
      let wanted: string | null = null;
      try {
        wanted = theirs(writer.parse(text));
      } catch {
        // Both parsers refuse it.
      }
      const read = parseTemplate(text);
      expect(read === null ? null : ours(read)).toBe(wanted);
    });
    expect(() => fc.assert(agree, { numRuns: 5_000 })).not.toThrow();
  });

  it.each([
    ['variables', '{{a}}'],
    ['open signs', '{{'],
    ['blanks in a variable', `{{a${' '.repeat(3_990)}x}}`],
    ['blanks in a variable that is never closed', `{{{a${' '.repeat(3_990)}x}}`],
    ['sections', '{{#a}}\n{{/a}}\n'],
    ['lines', '{{> a}} \n'],
    ['closing signs', '}}}'],
  ])('the cost of parsing depends only on the length: %s', (_what, piece) => {
    const text = piece.repeat(Math.ceil(4_000 / piece.length)).slice(0, 4_000);
    // As many as a definition at its limits holds; with regular expressions they take seconds.
    const took = cpuMs(() => {
      for (let count = 0; count < 500; count++) parseTemplate(text);
    });
    expect(took).toBeLessThan(600);
  });
});
