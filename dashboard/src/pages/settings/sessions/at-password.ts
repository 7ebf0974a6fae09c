import { Problem } from '../../../api/client.ts';

/**
 * Assigns the refusal of a wrong password to a field of the form. The refusal has the code of the sign-in page, whose
 * title names the e-mail address, although the form has no such field. Other refusals do not change.
 */
export function atPassword(problem: Problem, field: string, detail: string): Problem {
  const { code, status, title, requestId } = problem;
  if (code !== 'sign_in_failed') return problem;
  return new Problem({ code, status, title, requestId, faults: [{ pointer: `/${field}`, code: 'conflict', detail }] });
}
