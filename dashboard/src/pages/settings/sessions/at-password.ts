import { Problem } from '../../../api/client.ts';

/**
 * Assigns the refusal of a wrong password to a field of the form. The code is that of the sign-in page. Its title names
 * the e-mail address, which is not a field here. Other refusals stay as they are.
 */
export function atPassword(problem: Problem, field: string, detail: string): Problem {
  const { code, status, title, requestId } = problem;
  if (code !== 'sign_in_failed') return problem;
  return new Problem({ code, status, title, requestId, faults: [{ pointer: `/${field}`, code: 'conflict', detail }] });
}
