import type { KeyLimits } from '../../../contract/key-limits.ts';
import type { CallerLimits } from '../types.ts';

/** Presents the limits of a key as they were set. Null: the key has no limits. */
export function presentLimits({ perMinute, perEndUserPerMinute, total }: CallerLimits): KeyLimits | null {
  if (perMinute === null && perEndUserPerMinute === null && total === null) return null;
  return {
    ...(perMinute !== null && { per_minute: perMinute }),
    ...(perEndUserPerMinute !== null && { per_end_user_per_minute: perEndUserPerMinute }),
    ...(total !== null && { total }),
  };
}
