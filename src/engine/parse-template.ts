/**
 * Parses the part of Mustache that message texts need: names with fallbacks (`{{name|there}}`), conditional sections,
 * comments, and partials (which render as empty). The parser reads the text once. A definition may contain megabytes of
 * text, for which a parser with one regular expression for each tag would take seconds. Other delimiters (`{{=<%
 * %>=}}`) are not supported.
 */
export type Token =
  | { kind: 'text'; text: string }
  /** `fallback`: the text for a missing value, from `{{name|fallback}}`. Null: the author wrote no fallback. */
  | { kind: 'name'; name: string; fallback: string | null }
  | { kind: 'section'; name: string; inverted: boolean; children: Token[] };

type Tag = { sign: string; name: string; end: number };

/** Null: a variable or section is not closed, or a closed section was not opened. */
export const parseTemplate = (template: string): Token[] | null => {
  const root: Token[] = [];
  const open: { name: string; children: Token[] }[] = [];
  const line = createLine();
  let children = root;
  let at = 0;
  for (;;) {
    const begin = template.indexOf('{{', at);
    for (const token of textsOf(template.slice(at, begin === -1 ? undefined : begin))) {
      children.push(token);
      line.text(token);
    }
    if (begin === -1) break;
    const tag = readTag(template, begin + 2);
    if (tag === null) return null;
    at = tag.end;
    line.tag(tag.sign === '');
    if (tag.sign === '') children.push(nameOf(tag.name));
    else if (tag.sign === '#' || tag.sign === '^') {
      const section: Token = { kind: 'section', name: tag.name, inverted: tag.sign === '^', children: [] };
      children.push(section);
      open.push({ name: tag.name, children });
      children = section.children;
    } else if (tag.sign === '/') {
      const opened = open.pop();
      if (opened?.name !== tag.name) return null;
      children = opened.children;
    }
  }
  line.end();
  return open.length === 0 ? root : null;
};

/**
 * The name is the text before the first bar, and the rest is the fallback. Sections have no fallback, because they only
 * test whether the variable has a value.
 */
const nameOf = (written: string): Token => {
  const bar = written.indexOf('|');
  if (bar === -1) return { kind: 'name', name: written, fallback: null };
  return { kind: 'name', name: written.slice(0, bar).trimEnd(), fallback: written.slice(bar + 1).trimStart() };
};

const BLANK = /\s/;

/**
 * Reads the tag whose content begins at the given index. The tags `{{{name}}}` and `{{&name}}` are ordinary names,
 * because templates escape no text.
 */
const readTag = (template: string, from: number): Tag | null => {
  const start = skipBlanks(template, from);
  const sign = /[#^/>{&!=]/.test(template[start] ?? '') ? template[start]! : '';
  if (sign === '=') return null;
  const close = sign === '{' ? '}}}' : '}}';
  const inside = skipBlanks(template, start + sign.length);
  const end = template.indexOf(close, inside);
  if (end === -1) return null;
  const isName = sign === '{' || sign === '&';
  return { sign: isName ? '' : sign, name: template.slice(inside, end).trimEnd(), end: end + close.length };
};

const skipBlanks = (template: string, from: number): number => {
  let at = from;
  while (at < template.length && BLANK.test(template[at]!)) at++;
  return at;
};

/** Splits a text into lines, each with its line end. */
const textsOf = (text: string): { kind: 'text'; text: string }[] =>
  (text.match(/[^\n]*\n|[^\n]+/g) ?? []).map((part) => ({ kind: 'text', text: part }));

/** A line that contains only tags without output is removed, including its line end. */
const createLine = () => {
  let blanks: { text: string }[] = [];
  let hasTag = false;
  let isSaid = false;
  const end = (): void => {
    if (hasTag && !isSaid) for (const blank of blanks) blank.text = '';
    blanks = [];
    hasTag = false;
    isSaid = false;
  };
  return {
    text: (token: { text: string }): void => {
      if (token.text.trim() === '') blanks.push(token);
      else isSaid = true;
      if (token.text.endsWith('\n')) end();
    },
    tag: (isName: boolean): void => {
      hasTag = true;
      isSaid ||= isName;
    },
    end,
  };
};
