import { Refusal } from '../../../contract/problems.ts';
import { orUnavailable } from '../access-unavailable.ts';
import { attributeRefusal } from '../attribute-refusal.ts';
import type { Admission, Caller, CountedCall } from '../types.ts';
import type { CallBlocks } from './call-blocks.ts';

/** Takes one call of the key's total, for row 4b of the order of checks. */
export function takeCall(
  blocks: Pick<CallBlocks, 'take'>,
  caller: Caller,
  isGood: boolean,
): CountedCall | Promise<CountedCall> {
  const withCaller = (error: unknown): never => {
    throw error instanceof Refusal ? attributeRefusal(error, caller) : error;
  };
  try {
    const taken = blocks.take(caller, isGood);
    if (!(taken instanceof Promise)) return taken;
    return orUnavailable(taken).catch((error: unknown) => {
      // The call may still be reserved after the timeout. A call that was reserved after the timeout is returned to the
      // total.
      taken.then((late) => late.giveBack()).catch(() => {});
      return withCaller(error);
    });
  } catch (error) {
    return withCaller(error);
  }
}

/** Admits a call that took a unit of the total. If a later row refuses the call, the unit is given back. */
export function counting(
  taken: CountedCall,
  admitted: () => Admission | Promise<Admission>,
): Admission | Promise<Admission> {
  const giveBack = (error: unknown): never => {
    taken.giveBack();
    throw error;
  };
  try {
    const admission = admitted();
    if (!(admission instanceof Promise)) return { ...admission, counted: taken };
    return admission.then((known) => ({ ...known, counted: taken }), giveBack);
  } catch (error) {
    return giveBack(error);
  }
}
