import type { Refusal } from '../../contract/problems.ts';
import type { Caller } from './types.ts';

/** The key for which the refused call counts. */
export function attributeRefusal(refusal: Refusal, { keyId, orgId }: Caller): Refusal {
  refusal.extras.caller = { keyId, orgId };
  return refusal;
}
