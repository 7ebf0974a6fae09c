import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** The possible differences between a recorded answer and the answer of the draft. */
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

/** One turn of the agent: its messages and its actions. */
const ReplaySide = Type.Object(
  {
    said: Type.Array(Type.String()),
    /** The names of the cited documents. */
    cites: Type.Array(Type.String()),
    /** `arguments` contains at most 1,000 characters of JSON. */
    calls: Type.Array(Type.Object({ tool: Type.String(), arguments: Type.String() })),
    next: Type.Enum(['waiting_for_user', 'handed_off', 'completed', 'opted_out']),
  },
  { title: 'ReplaySide' },
);
export type ReplaySide = Static<typeof ReplaySide>;

export const ReplayTurn = Type.Object(
  {
    at: Moment,
    /** The person's messages. Empty: the agent wrote first. */
    input: Type.Array(Type.String()),
    recorded: ReplaySide,
    replayed: ReplaySide,
    /** Empty: no difference. */
    changed: Type.Array(Type.Enum(REPLAY_CHANGES)),
    /**
     * `earlier`: the published version gives this answer too, so an earlier version or a document caused the
     * difference. Null: no difference.
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
     * Why later turns were not replayed. `people`: members answered from here. `ended`: the recorded or the replayed
     * conversation ends here. `limit`: a replay does not allow more turns or more time. Null: all turns were replayed.
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
  /** Conversations with a difference that the draft causes. */
  changed: number;
  /** Conversations whose differences all existed before the draft. */
  earlier: number;
  /** The conversations of `changed`, by kind of difference. */
  by: Record<ReplayChange, number>;
};

/** Counts conversations. Conversations without a turn of the agent are not counted. */
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
