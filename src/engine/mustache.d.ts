/** The part of mustache 4 that we use. The package has no types of its own. */
declare module 'mustache' {
  /** `[kind, value, start, end, children?]`: kind is text, name, &, #, ^, > or !. */
  export type Token = [kind: string, value: string, start: number, end: number, children?: Token[] | string];
  const mustache: { Writer: new () => { templateCache: unknown; parse(template: string): Token[] } };
  export default mustache;
}
