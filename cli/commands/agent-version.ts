import { Failure } from '../failure.ts';

/** The value of `--version` for an agent. The value is undefined for the draft. */
export function versionOf(given: string): number | undefined {
  if (!/^(?:draft|[1-9]\d{0,8})$/.test(given))
    throw new Failure('usage_invalid', '--version is "draft" or the number of a version.');
  return given === 'draft' ? undefined : Number(given);
}
