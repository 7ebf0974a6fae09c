import { Type, type Static } from 'typebox';

/**
 * A report of leaked keys, in the format of GitHub's secret scanning partner program. Unknown fields of an entry are
 * ignored, so a report does not fail if its sender adds a field.
 */
export const LeakReport = Type.Array(
  Type.Object({
    token: Type.String({ description: 'The complete value of the key.' }),
    type: Type.Optional(Type.String({ description: 'The name of the pattern that matched. Parley ignores it.' })),
    url: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Where the key was found. Its owners see it.' }),
    ),
    source: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The kind of place, for example `commit`.' }),
    ),
  }),
  { title: 'LeakReport', maxItems: 1_000 },
);
export type LeakReport = Static<typeof LeakReport>;

/** A report without the signature of a known scanner has at most this many entries. */
export const MAX_UNSIGNED_LEAKS = 100;

/** The place where a leaked key was found, which its owners can see. */
export const LeakRecord = Type.Object({
  /** The URL without its query. Null: the report had no URL, or the URL is not safe to show. */
  url: Type.Union([Type.String(), Type.Null()]),
  source: Type.Union([Type.String(), Type.Null()]),
  /** True: a scanner whose public key the operator has configured signed the report. */
  signed: Type.Boolean(),
});
export type Leak = Static<typeof LeakRecord>;
