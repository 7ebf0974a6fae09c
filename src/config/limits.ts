import { DEFAULT_RATE_LIMITS, RATE_FAMILIES, type RateFamily, type RateLimits } from '../../contract/limits.ts';
import { isRecord } from '../kernel/is-record.ts';
import type { ConfigFault } from './environment.ts';

const VARIABLE = 'PARLEY_LIMITS';
const EXAMPLE = '{"triggers":{"key":600,"organization":3000}}';
const MEMBERS = ['key', 'organization'] as const;
/**
 * The highest accepted value is far above the number of calls that one installation serves in a minute, so a typing
 * error cannot remove a limit.
 */
const MAX_CALLS = 1_000_000_000;

/** The default limits with the overrides from PARLEY_LIMITS. The function reports every fault. */
export function readLimits(text: string | undefined, faults: ConfigFault[]): RateLimits {
  const limits = structuredClone(DEFAULT_RATE_LIMITS);
  if (text === undefined || text.trim() === '') return limits;
  const complain = (fault: string, fix: string): void => {
    faults.push({ variable: VARIABLE, fault, fix });
  };
  const given = parse(text);
  if (!isRecord(given)) {
    complain('is not a JSON object', `Write JSON such as ${EXAMPLE}.`);
    return limits;
  }
  for (const [family, numbers] of Object.entries(given)) {
    if (!isFamily(family)) {
      complain(`has the unknown member "${shorten(family)}"`, `Known names: ${RATE_FAMILIES.join(', ')}.`);
    } else if (!isRecord(numbers)) {
      complain(`has no object under "${family}"`, `Write JSON such as ${EXAMPLE}.`);
    } else {
      for (const [name, calls] of Object.entries(numbers)) {
        const member = MEMBERS.find((known) => known === name);
        if (!member) {
          complain(`has the unknown member "${family}.${shorten(name)}"`, `Known names: ${MEMBERS.join(', ')}.`);
        } else if (!Number.isInteger(calls) || (calls as number) < 1 || (calls as number) > MAX_CALLS) {
          complain(
            `has no whole number above 0 under "${family}.${name}"`,
            'Write the calls allowed per minute, for example 600.',
          );
        } else {
          limits[family][member] = calls as number;
        }
      }
    }
  }
  return limits;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isFamily = (name: string): name is RateFamily => RATE_FAMILIES.some((family) => family === name);

const shorten = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name);
