import { expect, it } from 'vitest';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from './lost-database.ts';

const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

it('a change whose outcome is unknown is never reported as failed', () => {
  expect(lostDatabase('POST', gone)).toMatchObject({ code: 'outcome_unknown', status: 503 });
  expect(lostDatabase('GET', gone)).toMatchObject({ code: 'unavailable', status: 503 });
});

it('refusals and program errors are passed on unchanged', () => {
  const [refusal, fault] = [new Refusal('role_missing'), new TypeError('x is not a function')];
  expect(lostDatabase('POST', refusal)).toBe(refusal);
  expect(lostDatabase('POST', fault)).toBe(fault);
});
