import type { CheckSuiteBody, SetSuiteBody, TestCase, SuiteRecord } from '../../../contract/dashboard/test-cases.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { openCases, readSuite as readRow, writeSuite } from '../../store/agents/test-cases.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { lockEndUsers } from '../../store/end-users/lock-end-users.ts';
import { checkDefinition } from './check-definition.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

const MAX_SUITE_BYTES = 256 * 1024;

export async function readSuite({ db }: Pick<AgentsDeps, 'db'>, orgId: string, id: string): Promise<SuiteRecord> {
  const agent = await foundAgent(db, orgId, id);
  const row = await readRow(db, orgId, id);
  const cases = row?.cases ?? [];
  return {
    cases,
    required: row?.required ?? false,
    open: await openCases(db, orgId, id, cases, agent.draft),
    updated_at: row && timestamp(row.updatedAt),
  };
}

/**
 * Replaces the test cases of an agent. The field `required` affects publishing, so the audit log shows its change
 * separately.
 */
export async function setSuite(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  id: string,
  { cases, required }: SetSuiteBody,
  actor: Actor,
): Promise<SuiteRecord> {
  checkCases(cases);
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, id))) throw new Refusal('agent_not_found');
    await checkOrigins(tx, orgId, cases);
    const before = await readRow(tx, orgId, id);
    const next = required ?? before?.required ?? false;
    await writeSuite(tx, orgId, id, { cases, required: next });
    const facts = { cases: cases.length, ...(next !== (before?.required ?? false) && { required: next }) };
    await recordAudit(tx, { orgId, actor, action: 'agent.tests_changed', subjectId: id, facts });
  });
  return readSuite({ db }, orgId, id);
}

/**
 * Refuses cases that `setSuite` and `testAgent` would refuse, so that a run of many cases reports the fault before the
 * first case.
 */
export async function checkSuite(
  { db }: Pick<AgentsDeps, 'db'>,
  orgId: string,
  id: string,
  { cases, definition }: CheckSuiteBody,
): Promise<void> {
  await foundAgent(db, orgId, id);
  checkCases(cases);
  await db.transaction((tx) => checkOrigins(tx, orgId, cases));
  if (definition) checkDefinition(definition);
}

function checkCases(cases: readonly TestCase[]): void {
  if (Buffer.byteLength(JSON.stringify(cases)) > MAX_SUITE_BYTES)
    throw invalid({ pointer: '/cases', code: 'too_large', detail: 'The tests of an agent have at most 256 KiB.' });
  const names = new Set<string>();
  const faults = cases.flatMap((one, at): Fault[] => {
    const twice = names.has(one.name);
    names.add(one.name);
    return [
      ...(twice
        ? [
            {
              pointer: `/cases/${at}/name`,
              code: 'duplicate',
              detail: 'Another case has this name. Results are identified by the name.',
            },
          ]
        : []),
      ...turnFaults(one, `/cases/${at}`),
    ];
  });
  if (faults.length > 0) throw invalid(...faults);
}

/** Messages of an erased person must not return from a file of cases. */
async function checkOrigins(tx: Queryable, orgId: string, cases: readonly TestCase[]): Promise<void> {
  const known = await lockEndUsers(
    tx,
    orgId,
    cases.flatMap(({ from }) => from ?? []),
  );
  const faults = cases.flatMap(({ from }, at): Fault[] =>
    from === undefined || known.has(from)
      ? []
      : [
          {
            pointer: `/cases/${at}/from`,
            code: 'not_found',
            detail:
              'This organization has no such person. If the person was erased, remove the case. If the case is from another organization, omit "from".',
          },
        ],
  );
  if (faults.length > 0) throw invalid(...faults);
}

/** Only an agent may open the conversation, and only once. */
export const turnFaults = ({ turns }: TestCase, at: string): Fault[] =>
  turns.flatMap(({ say }, turn) =>
    turn > 0 && say === undefined
      ? [{ pointer: `${at}/turns/${turn}/say`, code: 'required', detail: 'Only the first turn may omit the message.' }]
      : [],
  );

export const invalid = (...errors: Fault[]): Refusal =>
  new Refusal('validation_failed', 'The tests do not match the schema.', { errors });
