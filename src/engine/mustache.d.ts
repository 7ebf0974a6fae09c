/** Declares the part of mustache 4 that Parley uses. The package contains no types. */
declare module 'mustache' {
  /** A token is `[kind, value, start, end, children?]`, where the kind is text, name, &, #, ^, > or !. */
  export type Token = [kind: string, value: string, start: number, end: number, children?: Token[] | string];
  const mustache: { Writer: new () => { templateCache: unknown; parse(template: string): Token[] } };
  export default mustache;
}
