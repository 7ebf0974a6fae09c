import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** What may differ between what an agent answered and what it would answer now. */
export const REPLAY_CHANGES = ['words', 'sources', 'tools', 'hand_off', 'end', 'silence'] as const;
export type ReplayChange = (typeof REPLAY_CHANGES)[number];

export const ReplayBody = Type.Object(
  {
    conversation_id: Id('conv'),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Absent: the draft.' })),
  },
  closed,
);
export type ReplayBody = Static<typeof ReplayBody>;

/** One turn of the agent: what it said, and what it did. */
const ReplaySide = Type.Object(
  {
    said: Type.Array(Type.String()),
    /** Names of documents. */
    cites: Type.Array(Type.String()),
    /** `arguments` is JSON, at most 1,000 characters of it. */
    calls: Type.Array(Type.Object({ tool: Type.String(), arguments: Type.String() })),
    next: Type.Enum(['waiting_for_user', 'handed_off', 'completed', 'opted_out']),
  },
  { title: 'ReplaySide' },
);
export type ReplaySide = Static<typeof ReplaySide>;

export const ReplayTurn = Type.Object(
  {
    at: Moment,
    /** What the person wrote; empty: the agent spoke first. */
    input: Type.Array(Type.String()),
    recorded: ReplaySide,
    replayed: ReplaySide,
    /** Empty: the same. */
    changed: Type.Array(Type.Enum(REPLAY_CHANGES)),
    /**
     * `earlier`: the published version answers like this too, so an earlier publishing, or a document, changed it. Null:
     * the same.
     */
    cause: Nullable(Type.Enum(['draft', 'earlier'])),
  },
  { title: 'ReplayTurn' },
);
export type ReplayTurn = Static<typeof ReplayTurn>;

export const ReplayResult = Type.Object(
  {
    conversation_id: Type.String(),
    turns: Type.Array(ReplayTurn),
    /**
     * Why later turns were not played. `people`: a person answered from here. `ended`: the conversation ends here, as it
     * did or as it would now. `limit`: more turns, or more time, than one replay takes. Null: all were played.
     */
    stopped: Nullable(Type.Enum(['people', 'ended', 'limit'])),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;

export type ReplaySummary = {
  /** Conversations with at least one turn. */
  played: number;
  same: number;
  /** With a change that the draft makes. */
  changed: number;
  /** With changes, all of which were there before the draft. */
  earlier: number;
  /** Conversations of `changed`, by what changed. */
  by: Record<ReplayChange, number>;
};

/** Counts conversations. Those without a turn of the agent are not counted. */
export function summarizeReplays(results: readonly ReplayResult[]): ReplaySummary {
  const by = Object.fromEntries(REPLAY_CHANGES.map((name) => [name, 0])) as Record<ReplayChange, number>;
  const summary = { played: 0, same: 0, changed: 0, earlier: 0, by };
  for (const { turns } of results) {
    if (turns.length === 0) continue;
    summary.played += 1;
    const mine = new Set(turns.flatMap(({ cause, changed }) => (cause === 'draft' ? changed : [])));
    for (const name of mine) by[name] += 1;
    if (mine.size > 0) summary.changed += 1;
    else if (turns.some(({ cause }) => cause === 'earlier')) summary.earlier += 1;
    else summary.same += 1;
  }
  return summary;
}
