import type { LocalizedText } from '../../contract/agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../contract/limits.ts';
import { cutText } from '../../contract/cut-text.ts';
import { parseTemplate, type Token } from './parse-template.ts';

/**
 * Renders the Mustache texts that authors write for an agent. The function escapes nothing (the text is not HTML),
 * calls no function, renders partials as empty, and writes a section at most once. The length of the input limits the
 * length of the output.
 */

/**
 * The cache of parsed templates has this limit, which exceeds the texts of one node's busy agents. The limit of the
 * cache counts characters. A short text with many lines or variables may use fifty bytes for each character.
 */
const MAX_PARSED_CHARACTERS = 500_000;
/** A variable has at most this many parts, as in `{{a.b.c}}`. */
const MAX_PATH = 8;
/** Sections are nested at most this deep. */
const MAX_NESTING = 8;
/** A value has at most this length, because one value must not fill the message. */
const MAX_VALUE_CHARACTERS = 4_000;
/** A list is rendered with at most this many items. */
const MAX_LISTED = 100;

export type Variables = Readonly<Record<string, unknown>>;

/**
 * Chooses the text for a locale in the order `ar-QA`, `ar`, `default`, and the first text. Null: the author wrote no
 * text.
 */
export const chooseText = (text: LocalizedText | undefined, locale: string | null): string | null => {
  if (text === undefined) return null;
  if (locale !== null) {
    const language = locale.split(/[-_]/, 1)[0]!.toLowerCase();
    if (Object.hasOwn(text, language)) return text[language]!;
  }
  if (Object.hasOwn(text, 'default')) return text['default']!;
  for (const key of Object.keys(text)) return text[key]!;
  return null;
};

/**
 * Renders the text with its variables. A variable without a value is replaced by its fallback, or by an empty text. The
 * name of a variable that is replaced by an empty text is added to `empty`. An invalid template is rendered as plain
 * text.
 */
export const renderTemplate = (template: string, variables: Variables, empty?: Set<string>): string => {
  if (!template.includes('{{')) return template;
  const tokens = parsed(template);
  if (tokens === null) return template;
  const written: Written = { parts: [], left: MAX_MESSAGE_CHARACTERS, empty };
  write(tokens, variables, written, 0);
  return written.parts.join('');
};

/** Chooses a text and renders it. Null if the author wrote no text. */
export const renderText = (
  text: LocalizedText | undefined,
  locale: string | null,
  variables: Variables,
  empty?: Set<string>,
): string | null => {
  const chosen = chooseText(text, locale);
  return chosen === null ? null : renderTemplate(chosen, variables, empty);
};

/**
 * Returns the reason why a template is invalid, as a sentence. Null when the template is valid. The check runs when an
 * agent is saved.
 */
export const templateFault = (template: string): string | null =>
  parseTemplate(template) === null
    ? 'The text has a {{variable}} or {{#section}} that is not closed, or changes the delimiters.'
    : null;

const cache = new Map<string, Token[] | null>();
let cached = 0;

const parsed = (template: string): Token[] | null => {
  const known = cache.get(template);
  if (known !== undefined) return known;
  const tokens = parseTemplate(template);
  cache.set(template, tokens);
  cached += template.length;
  for (const oldest of cache.keys()) {
    if (cached <= MAX_PARSED_CHARACTERS) break;
    cache.delete(oldest);
    cached -= oldest.length;
  }
  return tokens;
};

type Written = { parts: string[]; left: number; empty: Set<string> | undefined };

const write = (tokens: readonly Token[], variables: Variables, written: Written, nesting: number): void => {
  for (const token of tokens) {
    if (written.left <= 0) return;
    if (token.kind === 'text') say(written, token.text);
    else if (token.kind === 'name') say(written, valueOf(token, variables, written));
    else if (nesting < MAX_NESTING && isSet(lookUp(token.name, variables)) !== token.inverted)
      write(token.children, variables, written, nesting + 1);
  }
};

const valueOf = (
  { name, fallback }: { name: string; fallback: string | null },
  variables: Variables,
  { empty }: Written,
): string => {
  const value = asText(lookUp(name, variables));
  if (value.trim() !== '') return value;
  if (fallback === null) empty?.add(name);
  return fallback ?? value;
};

const say = (written: Written, text: string): void => {
  written.parts.push(cutText(text, written.left));
  written.left -= text.length;
};

/** Finds the value of `{{name}}`. Undefined: the variable has no value. */
export const lookUp = (name: string, variables: Variables): unknown => {
  if (Object.hasOwn(variables, name)) return variables[name];
  let value: unknown = variables;
  for (const part of name.split('.', MAX_PATH)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
};

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== '';

const asText = (value: unknown): string => {
  if (typeof value === 'string') return cutText(value, MAX_VALUE_CHARACTERS);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) {
    const parts: string[] = [];
    let left = MAX_VALUE_CHARACTERS;
    for (const item of value.slice(0, MAX_LISTED)) {
      if (typeof item === 'object' || left <= 0) continue;
      const part = asText(item);
      parts.push(part);
      left -= part.length;
    }
    return cutText(parts.join(', '), MAX_VALUE_CHARACTERS);
  }
  return '';
};
