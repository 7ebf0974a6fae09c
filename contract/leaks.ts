import { Type, type Static } from 'typebox';

/**
 * Leaked keys as scanners report them, in the shape of GitHub's secret scanning partner program. What else stands in an
 * entry is ignored: a report must not fail because its sender has learned a new word.
 */
export const LeakReport = Type.Array(
  Type.Object({
    token: Type.String({ description: 'The whole value of the key.' }),
    type: Type.Optional(Type.String({ description: 'The name of the pattern that matched; not looked at.' })),
    url: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Where the key was found; shown to its owners.' }),
    ),
    source: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'What kind of place that is, for example `commit`.' }),
    ),
  }),
  { title: 'LeakReport', maxItems: 1_000 },
);
export type LeakReport = Static<typeof LeakReport>;

/** Entries of a report that is not signed by a scanner we know. */
export const MAX_UNSIGNED_LEAKS = 100;

/** Where a leaked key was found, as its owners are told. */
export const LeakRecord = Type.Object({
  /** Without its query; null: none was said, or it is not one to show. */
  url: Type.Union([Type.String(), Type.Null()]),
  source: Type.Union([Type.String(), Type.Null()]),
  /** By a scanner whose key the operator has named. */
  signed: Type.Boolean(),
});
export type Leak = Static<typeof LeakRecord>;
