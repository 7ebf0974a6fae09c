import { type Command, Option } from 'commander';
import { APPROVAL_STATUSES, type ApprovalDecision } from '../../contract/approval-limits.ts';
import type { QueryOf } from '../../contract/dashboard/routes.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { examples, setAction } from '../command-action.ts';

export function addApprovalsCommand(program: Command): void {
  const approvals = program
    .command('approvals')
    .summary('tool calls that wait for a decision of the team')
    .description('Tool calls of agents that need an approval, and the decisions about them.');
  addList(approvals);
  addDecision(approvals, 'approve', 'Approves a call. Parley makes the call once, and the agent reports the result.');
  addDecision(approvals, 'deny', 'Denies a call. The call is not made, and the agent gets the reason.');
}

function addList(approvals: Command): void {
  const list = listing(
    approvals
      .command('list')
      .description('Lists calls that need an approval, newest first.')
      .option('--agent <id>', 'only approvals of this agent')
      .addOption(new Option('--status <status>', 'only approvals with this status').choices(APPROVAL_STATUSES)),
  );
  type Filters = { agent?: string; status?: string };
  setAction<ListOptions & Filters>(list, async ({ api, out }, _args, { agent, status, ...want }) => {
    const query = { agent_id: agent, status } as QueryOf<'listApprovals'>;
    const columns = [field('id'), field('status'), field('tool'), field('conversation_id', 'Conversation')];
    out.list(
      await api.list('listApprovals', want, { query }),
      [...columns, field('reason'), time('expires_at', 'Expires')],
      'No call needs an approval.',
    );
  });
  examples(list, 'approvals list --status pending');
}

function addDecision(approvals: Command, decision: ApprovalDecision, description: string): void {
  const command = approvals
    .command(decision)
    .description(description)
    .argument('<approval-id>')
    .option('--reason <text>', 'the reason, which the agent reads');
  setAction<{ reason?: string }>(command, async ({ api, out }, [id], { reason }) => {
    const body = { decision, ...(reason !== undefined && { reason }) };
    out.record(await api.call('decideApproval', { ids: { approval_id: id! }, body }));
  });
  examples(command, `approvals ${decision} approval_01jd… --reason "Below the limit"`);
}
