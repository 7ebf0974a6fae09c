import type { CaseResult, TestAgentBody } from '../../../contract/dashboard/test-cases.ts';
import { forgetPass, printer, readDocumentsStamp, readSuite, recordPass } from '../../store/agents/test-cases.ts';
import { checkDefinition } from './check-definition.ts';
import { chosenDefinition } from './chosen-definition.ts';
import type { AgentsDeps } from './deps.ts';
import { playCase } from './play-case.ts';
import { foundAgent } from './read-agents.ts';
import { invalid, turnFaults } from './test-cases.ts';

/**
 * Runs one case with the draft, a version or a definition. A pass counts only for publishing exactly the tested
 * definition. `thenChecked` checks the caller again after the answers, and before the pass is stored.
 */
export async function testAgent(
  { db, answering }: Pick<AgentsDeps, 'db' | 'answering'>,
  orgId: string,
  id: string,
  { case: suiteCase, version, definition: given, record, recorded }: TestAgentBody,
  thenChecked: (waiting: Promise<CaseResult>) => Promise<CaseResult>,
): Promise<CaseResult> {
  const faults = turnFaults(suiteCase, '/case');
  if (record && recorded)
    faults.push({
      pointer: '/recorded',
      code: 'conflict',
      detail: 'Use either a new recording or an existing one.',
    });
  if (given && version !== undefined)
    faults.push({ pointer: '/version', code: 'conflict', detail: 'Test either a version or a definition.' });
  if (faults.length > 0) throw invalid(...faults);
  const agent = await foundAgent(db, orgId, id);
  if (given) checkDefinition(given);
  const definition = given ?? (await chosenDefinition(db, agent, version));
  // The stamp is read before the test, so that the pass does not count if a document changes during the test.
  const printOf = printer(definition, await readDocumentsStamp(db, orgId, id));
  const print = printOf(suiteCase);
  const tested = { id, name: agent.name, revision: agent.revision, definition };
  const options = { ...(record && { record }), ...(recorded && { recorded }) };
  const result = await thenChecked(playCase(answering, orgId, tested, suiteCase, options));
  // The caller could have written the recorded answers, so the pass does not count for publishing.
  if (recorded) return result;
  // A case that is not stored has no record of its pass.
  const isStored = (await readSuite(db, orgId, id))?.cases.some((one) => printOf(one) === print) ?? false;
  if (isStored) await (result.passed ? recordPass(db, orgId, id, print) : forgetPass(db, orgId, id, print));
  return result;
}
