import type { Comparison, StopWhen } from '../../../contract/dashboard/rollouts.ts';
import { estimateDifference, estimatePart, isDifferenceAbove, type Tally } from './always-valid-interval.ts';

/** The confidence of intervals on the screen, unless the rollout sets another value. */
export const CONFIDENCE = 0.95;

/** The end users of one version, and how many of them have had a problem. */
export type ArmTally = Tally & { version: number };

/** Compares the end users who get the version with everyone else. */
export const compareArms = (base: ArmTally, rolledOut: ArmTally, confidence: number): Comparison => ({
  confidence,
  base: presentArm(base, confidence),
  rolled_out: presentArm(rolledOut, confidence),
  worse_by: estimateDifference(rolledOut, base, confidence),
});

const presentArm = (arm: ArmTally, confidence: number): Comparison['base'] => ({
  version: arm.version,
  end_users: arm.n,
  problems: { count: arm.hits, part: estimatePart(arm, confidence) },
});

/**
 * True if a rollout must stop, because even the low end of `worse_by` is above the limit. The interval stays valid at
 * every look, so a version within the limit is stopped with a probability of at most 1 − confidence.
 */
export const isWorse = (rolledOut: Tally, base: Tally, limit: StopWhen): boolean =>
  isDifferenceAbove(limit.worse_by, rolledOut, base, limit.confidence);
