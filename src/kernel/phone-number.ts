import { type CountryCode, Metadata } from 'libphonenumber-js/min';

/**
 * Phone numbers in E.164, by the numbering plans of libphonenumber: the calling code must exist and the number must have
 * a length that is possible there. Whether the number is assigned is not asked: plans change faster than programs.
 * The lengths are read out once, because the library's own parser takes 17 µs a number and a push may bring 1,000.
 */
const plans = new Map<string, ReadonlySet<number>>();
const E164 = /^\+[1-9]\d{6,14}$/;
const MAX_CALLING_CODE = 3;

export function isPhoneNumber(text: string): boolean {
  if (!E164.test(text)) return false;
  for (let digits = 1; digits <= MAX_CALLING_CODE; digits++) {
    const lengths = lengthsOf(text.slice(1, 1 + digits));
    if (lengths.size > 0) return lengths.has(text.length - 1 - digits);
  }
  return false;
}

/** Empty where there is no such calling code. */
function lengthsOf(callingCode: string): ReadonlySet<number> {
  let lengths = plans.get(callingCode);
  if (!lengths) {
    lengths = new Set(read(callingCode));
    plans.set(callingCode, lengths);
  }
  return lengths;
}

function read(callingCode: string): number[] {
  try {
    const plan = new Metadata();
    // It takes a calling code as well, which its types do not say.
    plan.selectNumberingPlan(callingCode as CountryCode);
    return plan.numberingPlan?.possibleLengths() ?? [];
  } catch {
    return [];
  }
}
