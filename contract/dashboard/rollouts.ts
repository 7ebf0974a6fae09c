import { Type, type Static } from 'typebox';
import { MAX_VERSION } from '../limits.ts';
import { closed, Moment, Nullable } from './shapes.ts';

const VersionNumber = Type.Integer({ minimum: 1, maximum: MAX_VERSION });

/** The conditions under which a rollout stops automatically. */
export const StopWhen = Type.Object(
  {
    worse_by: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The part of end users with a problem may be higher by at most this much. 0.05 means 5 percentage points.',
    }),
    confidence: Type.Number({
      minimum: 0.5,
      maximum: 0.9999,
      description: 'How certain the difference must be. With 0.95, at most 5 % of harmless versions are stopped.',
    }),
  },
  closed,
);
export type StopWhen = Static<typeof StopWhen>;

export const RolloutBody = Type.Object(
  {
    version: VersionNumber,
    percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'The part of the end users that gets the version.',
    }),
    stop_when: Type.Optional(
      Type.Union([StopWhen, Type.Null()], {
        description: 'Absent: as before. Null, or absent at the start: only a member stops the rollout.',
      }),
    ),
  },
  closed,
);
export type RolloutBody = Static<typeof RolloutBody>;

/** An estimated number with its confidence interval. The interval stays valid, however often the result is read. */
const Estimate = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() });
export type Estimate = Static<typeof Estimate>;

/** A number of runs, and the part of all runs. */
const Counted = Type.Object({ count: Type.Integer(), part: Nullable(Estimate) });

export const VersionResult = Type.Object({
  version: Type.Integer(),
  runs: Type.Integer(),
  completed: Counted,
  handed_off: Counted,
  /** The runs with a question that the agent could not answer. */
  unanswered: Counted,
  failed: Counted,
  /** Null: the version returns no result. */
  result_complete: Nullable(Counted),
  /** The surveys of the version's runs, and the average of their scores from 1 to 5. */
  ratings: Type.Object({ count: Type.Integer(), average: Nullable(Type.Number()) }),
  /** The answers that people rated as good or bad. */
  answers: Type.Object({ good: Type.Integer(), bad: Type.Integer() }),
  /**
   * The average cost of a run with model calls, by currency. Empty: no price of the models is known. With one run, the
   * average has no interval.
   */
  cost: Type.Array(
    Type.Object({
      currency: Type.String(),
      per_run: Type.Object({ value: Type.Number(), low: Nullable(Type.Number()), high: Nullable(Type.Number()) }),
    }),
  ),
});
export type VersionResult = Static<typeof VersionResult>;

/** The first run of each end user in a rollout counts. */
const Arm = Type.Object({ version: Type.Integer(), end_users: Type.Integer(), problems: Counted });

export const Comparison = Type.Object({
  confidence: Type.Number(),
  base: Arm,
  rolled_out: Arm,
  /**
   * The share of end users with a problem in `rolled_out`, minus the share in `base`. Null: the runs are too few for an
   * interval.
   */
  worse_by: Nullable(Estimate),
});
export type Comparison = Static<typeof Comparison>;

export const ROLLOUT_STATUSES = ['active', 'stopped', 'finished'] as const;
export const ROLLOUT_REASONS = ['worse', 'member'] as const;

export const RolloutRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    version: Type.Integer(),
    /** The version that all other end users get. */
    base_version: Type.Integer(),
    percent: Type.Integer(),
    stop_when: Nullable(StopWhen),
    status: Type.Enum(ROLLOUT_STATUSES),
    /** The reason why the rollout was stopped. Null: the rollout was not stopped. */
    reason: Nullable(Type.Enum(ROLLOUT_REASONS)),
    /**
     * An active rollout has the current comparison, and an ended rollout has its last comparison. Null: the comparison
     * failed.
     */
    comparison: Nullable(Comparison),
    created_at: Moment,
    ended_at: Nullable(Moment),
  },
  { title: 'Rollout' },
);
export type RolloutRecord = Static<typeof RolloutRecord>;

export const VersionComparison = Type.Object(
  {
    confidence: Type.Number(),
    /** Runs after this time are compared, which is the start of the rollout or of the last 30 days. */
    since: Moment,
    /** The latest rollout of the agent, if its runs are compared. */
    rollout: Nullable(RolloutRecord),
    data: Type.Array(VersionResult),
  },
  { title: 'VersionComparison' },
);
export type VersionComparison = Static<typeof VersionComparison>;
