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

/** One turn of the agent, with its messages and its actions. */
const ReplaySide = Type.Object(
  {
    said: Type.Array(Type.String()),
    /** The names of the documents that the answer cites. */
    cites: Type.Array(Type.String()),
    /** The field `arguments` contains at most 1,000 characters of JSON. */
    calls: Type.Array(Type.Object({ tool: Type.String(), arguments: Type.String() })),
    next: Type.Enum(['waiting_for_user', 'handed_off', 'completed', 'opted_out']),
  },
  { title: 'ReplaySide' },
);
export type ReplaySide = Static<typeof ReplaySide>;

export const ReplayTurn = Type.Object(
  {
    at: Moment,
    /** The messages of the person that the turn answers. Empty: the agent wrote first. */
    input: Type.Array(Type.String()),
    recorded: ReplaySide,
    replayed: ReplaySide,
    /** Empty: the two answers do not differ. */
    changed: Type.Array(Type.Enum(REPLAY_CHANGES)),
    /**
     * The cause `earlier` means that the published version gives the new answer too, so an earlier version or a
     * document caused the difference. Null: the two answers do not differ.
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
     * The reason why later turns were not replayed. The reason `people` means that members answered the later messages.
     * The reason `ended` means that the recorded or the replayed conversation ended. The reason `limit` means that a
     * replay allows no more turns or time. Null: all turns were replayed.
     */
    stopped: Nullable(Type.Enum(['people', 'ended', 'limit'])),
  },
  { title: 'ReplayResult' },
);
export type ReplayResult = Static<typeof ReplayResult>;

export type ReplaySummary = {
  /** The number of conversations with at least one turn. */
  played: number;
  same: number;
  /** The number of conversations with a difference that the draft causes. */
  changed: number;
  /** The number of conversations whose differences all existed before the draft. */
  earlier: number;
  /** The conversations of `changed`, grouped by the kind of difference. */
  by: Record<ReplayChange, number>;
};

/** Counts conversations, without conversations that have no turn of the agent. */
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
